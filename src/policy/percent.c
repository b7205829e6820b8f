/* percent.c: percent-encoding (RFC 3986, sections 2.1 and 2.3). */
#include "policy/percent.h"

#include "base/text.h"

#include <string.h>

bool percent_is_unreserved(uint8_t byte)
{
	return text_is_letter((char)byte) || text_is_digit((char)byte) ||
	       (byte && strchr("-._~", byte));
}

int percent_byte(const char *text)
{
	int high, low;

	if (text[0] != '%' || (high = text_hex_value(text[1])) < 0 ||
	    (low = text_hex_value(text[2])) < 0)
		return -1;
	return high * 16 + low;
}
