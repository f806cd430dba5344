package egress

import "net/netip"

// Public reports whether addr is an address of the public internet, which tools may reach
// in the modes strict and allowlist. It returns false for an invalid address, for an
// address with a zone, and for the addresses below.
//
// IPv4: the special-purpose blocks of RFC 6890 and its updates, multicast, the
// reserved block 240.0.0.0/4, and 168.63.129.16, a service address of a cloud.
//
// IPv6: everything outside 2000::/3, the only block from which public addresses are
// assigned, and within it Teredo, benchmarking, ORCHID and documentation addresses. An
// address that contains an IPv4 address (mapped, translated, compatible, NAT64
// (64:ff9b::/96), 6to4 or ISATAP) is public if the IPv4 address is.
func Public(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	inner, v4, known := embedded(addr)
	switch {
	case v4:
		return !within(inner, private4[:])
	case !known:
		return false
	}
	return !within(addr, private6[:])
}

// metadata reports whether addr is an address at which clouds hand out credentials to any
// process on the machine.
func metadata(addr netip.Addr) bool {
	if inner, v4, _ := embedded(addr); v4 {
		return within(inner, metadata4[:])
	}
	return within(addr.WithZone(""), metadata6[:])
}

// embedded returns the IPv4 address that addr is or contains; v4 is false if there is
// none. known is false for an IPv6 address outside the block of public addresses.
func embedded(addr netip.Addr) (inner netip.Addr, v4, known bool) {
	addr = addr.Unmap()
	if addr.Is4() {
		return addr, true, true
	}
	b := addr.As16()
	last := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	switch {
	case addr == netip.IPv6Unspecified() || addr == netip.IPv6Loopback():
		return addr, false, false
	case compatible.Contains(addr), translated.Contains(addr), nat64.Contains(addr):
		return last(12), true, true
	case sixToFour.Contains(addr):
		return last(2), true, true
	case b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe && global6.Contains(addr):
		// ISATAP (RFC 5214): the interface identifier contains an IPv4 address. The
		// prefix before it must be public too.
		if within(addr, private6[:]) {
			return addr, false, true
		}
		return last(12), true, true
	}
	return addr, false, global6.Contains(addr)
}

func within(addr netip.Addr, table []netip.Prefix) bool {
	for i := range table {
		if table[i].Contains(addr) {
			return true
		}
	}
	return false
}

var (
	compatible = netip.MustParsePrefix("::/96")           // RFC 4291 2.5.5.1, deprecated
	translated = netip.MustParsePrefix("::ffff:0:0:0/96") // RFC 2765
	nat64      = netip.MustParsePrefix("64:ff9b::/96")    // RFC 6052
	sixToFour  = netip.MustParsePrefix("2002::/16")       // RFC 3056
	global6    = netip.MustParsePrefix("2000::/3")        // RFC 4291 2.4
	private4   = [...]netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),        // this network, RFC 1122
		netip.MustParsePrefix("10.0.0.0/8"),       // private, RFC 1918
		netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT, RFC 6598
		netip.MustParsePrefix("127.0.0.0/8"),      // loopback
		netip.MustParsePrefix("169.254.0.0/16"),   // link local, RFC 3927
		netip.MustParsePrefix("172.16.0.0/12"),    // private
		netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments, RFC 6890
		netip.MustParsePrefix("192.0.2.0/24"),     // documentation, RFC 5737
		netip.MustParsePrefix("192.88.99.0/24"),   // 6to4 relays, RFC 7526
		netip.MustParsePrefix("192.168.0.0/16"),   // private
		netip.MustParsePrefix("198.18.0.0/15"),    // benchmarking, RFC 2544
		netip.MustParsePrefix("198.51.100.0/24"),  // documentation
		netip.MustParsePrefix("203.0.113.0/24"),   // documentation
		netip.MustParsePrefix("224.0.0.0/4"),      // multicast
		netip.MustParsePrefix("240.0.0.0/4"),      // reserved, and broadcast
		netip.MustParsePrefix("168.63.129.16/32"), // virtual service address of a cloud
	}
	private6 = [...]netip.Prefix{ // within 2000::/3; all other addresses are refused anyway
		netip.MustParsePrefix("2001::/32"),     // Teredo, RFC 4380
		netip.MustParsePrefix("2001:2::/48"),   // benchmarking, RFC 5180
		netip.MustParsePrefix("2001:10::/28"),  // ORCHID, RFC 4843
		netip.MustParsePrefix("2001:20::/28"),  // ORCHIDv2, RFC 7343
		netip.MustParsePrefix("2001:db8::/32"), // documentation, RFC 3849
		netip.MustParsePrefix("3fff::/20"),     // documentation, RFC 9637
	}
	metadata4 = [...]netip.Prefix{
		netip.MustParsePrefix("169.254.0.0/16"),     // the whole link-local block, in which each cloud has its own address
		netip.MustParsePrefix("100.100.100.200/32"), // in the carrier-grade NAT block
		netip.MustParsePrefix("168.63.129.16/32"),
		netip.MustParsePrefix("192.0.0.192/32"),
	}
	metadata6 = [...]netip.Prefix{
		netip.MustParsePrefix("fd00:ec2::/32"),
		netip.MustParsePrefix("fd00:42::42/128"),
		netip.MustParsePrefix("fd20:ce::254/128"),
	}
)
