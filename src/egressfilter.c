/* egressfilter.c: the table of options. */
int main(void)
{
	return 0;
}
