# man: the manual pages.
dist_man_MANS = man/egressfilter.8 man/egressfw.8
dist_man5_MANS = man/egressfw-policy.5
