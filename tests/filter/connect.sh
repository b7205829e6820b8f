#!/bin/bash
# connect.sh: CONNECT allowed and refused: by name, wildcard, blocked host, port and address; one name only.
. "${srcdir:-.}/tests/filter/lib.sh"
filter_begin
dns_script <<'END'
allowed.test A 203.0.113.5
allowed.test AAAA 2001:db8:1::5
other.test A 203.0.113.6
*.wild.test A 203.0.113.7
six.test AAAA 2001:db8:1::6
END
filter_settings <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID],
  "allowed_hosts": ["allowed.test", "other.test:443", "*.wild.test", "six.test", "198.51.100.7", "203.0.113.0/28:8080"],
  "enforcement": "filter" }
END
filter_start
answers "an exact name" "200 tunnel" allowed.test:443
answers "a wildcard" "200 tunnel" a.b.wild.test:443
answers "not the wildcard's parent" 403 wild.test:443
answers "a name over IPv6 alone" "200 tunnel" six.test:443
answers "another name" 403 denied.test:443
answers "a port that is not listed" 403 other.test:80
answers "an address" "200 tunnel" 198.51.100.7:443
answers "an address within a prefix" "200 tunnel" 203.0.113.9:8080
answers "the prefix with another port" 403 203.0.113.9:443
answers "loopback" 403 127.0.0.1:22
filter_end
exit 0
