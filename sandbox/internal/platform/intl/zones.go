package intl

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // for processes that may not open files

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

//go:generate sh -c "node testdata/zones.mjs \"$(go env GOROOT)\""

// Zone is a supported time zone with its names.
type Zone struct {
	name  string
	class uint8 // index into zoneClasses
}

// zoneClass holds the names of zones, as pairs [standard, daylight].
type zoneClass struct {
	long  [2]string
	short [3][2]string // by locale
}

// FindZone looks up a zone by its name in any case. Only listed names are passed to a
// loader, since the zone folder of a host also contains files that are not zones.
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

// UTC is the name of the zone without an offset. ECMA-402 requires that aliases of UTC
// resolve to it.
const UTC = "UTC"

// ProperName returns the name that resolvedOptions shows.
func (z *Zone) ProperName() string {
	if zoneClasses[z.class].short[localeUS][0] == UTC {
		return UTC
	}
	return z.name
}

// daylight reports whether t is in daylight saving time in the everyday sense. The
// database instead treats winter in Ireland as "daylight" time, one hour behind.
func (z *Zone) daylight(t time.Time) bool {
	if z.name == "Europe/Dublin" || z.name == "Eire" {
		_, offset := t.Zone()
		return offset > 0
	}
	return t.IsDST()
}

// Zones caches loaded time zones for all runtimes. It holds each zone of the database at
// most once (about 600, a few KB each). The zero value is ready to use. It is safe for
// concurrent use.
type Zones struct {
	mu    sync.RWMutex
	zones map[string]*time.Location
}

// Load returns the zone with this name, which must be an exact name of the IANA database.
// It returns the error of time.LoadLocation, and an error for names that are not in the
// database, such as "Local".
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

// ZoneNames returns the names of the supported zones.
func ZoneNames() []string {
	names := make([]string, len(zoneTable))
	for i, z := range zoneTable {
		names[i] = z.name
	}
	return names
}
