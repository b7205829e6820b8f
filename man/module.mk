# man: the manual pages.
dist_man_MANS = man/egressfw.8
