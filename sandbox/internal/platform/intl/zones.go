package intl

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // zones for a process that may not open files

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

//go:generate sh -c "node testdata/zones.mjs \"$(go env GOROOT)\""

// Zone is a zone that is known here, and what it is called.
type Zone struct {
	name  string
	class uint8 // index into zoneClasses
}

// zoneClass holds names of zones, [standard, daylight] each.
type zoneClass struct {
	long  [2]string
	short [3][2]string // by locale
}

// FindZone looks a zone up by its name in any case. Only listed names reach a
// loader: a host's folder of zones also holds files that are none.
func FindZone(name string) (*Zone, bool) {
	lo, hi := 0, len(zoneTable)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := ascii.CompareFold(zoneTable[mid].name, name); {
		case c == 0:
			return &zoneTable[mid], true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil, false
}

// UTC is what a zone without any offset of its own is called. ECMA-402 has
// the aliases of UTC resolve to it.
const UTC = "UTC"

// ProperName is the name that resolvedOptions gives.
func (z *Zone) ProperName() string {
	if zoneClasses[z.class].short[localeUS][0] == UTC {
		return UTC
	}
	return z.name
}

// daylight reports whether t is daylight saving time as people call it. The
// database has Ireland on "daylight" time in winter, an hour behind.
func (z *Zone) daylight(t time.Time) bool {
	if z.name == "Europe/Dublin" || z.name == "Eire" {
		_, offset := t.Zone()
		return offset > 0
	}
	return t.IsDST()
}

// Zones keeps loaded time zones, so that every runtime after the first finds
// them in memory. It holds each zone of the database once at most (about 600,
// a few KB each). The zero value is ready; it is safe for concurrent use.
type Zones struct {
	mu    sync.RWMutex
	zones map[string]*time.Location
}

// Load returns the zone of that name, which is an exact name of the IANA
// database. The error is that of time.LoadLocation; it also comes for names
// that are not in the database, such as "Local".
func (z *Zones) Load(name string) (*time.Location, error) {
	z.mu.RLock()
	loc, ok := z.zones[name]
	z.mu.RUnlock()
	if ok {
		return loc, nil
	}
	entry, ok := FindZone(name)
	if !ok || entry.name != name {
		return nil, fmt.Errorf("%q is no time zone of the IANA database; use a name such as \"Europe/Paris\"", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.zones == nil {
		z.zones = make(map[string]*time.Location)
	}
	z.zones[name] = loc
	return loc, nil
}

// ZoneNames lists the zones that are known.
func ZoneNames() []string {
	names := make([]string, len(zoneTable))
	for i, z := range zoneTable {
		names[i] = z.name
	}
	return names
}
