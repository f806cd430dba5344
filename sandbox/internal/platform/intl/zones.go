package intl

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for processes that may not open files

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

//go:generate sh -c "node testdata/zones.mjs \"$(go env GOROOT)\""

// zoneText has a line for each class of zones, separated by tabs: the [standard, daylight]
// names of zoneClass, long and by locale, and the zones, separated by spaces.
//
//go:embed zones.txt
var zoneText string

// Zone is a supported time zone with its names.
type Zone struct {
	name  string
	class *zoneClass
}

// zoneClass holds the names of zones, as pairs [standard, daylight]. Without a name, an
// offset is shown.
type zoneClass struct {
	long  [2]string
	short [3][2]string // by locale
}

// zoneTable returns the zones by their names in lower case.
var zoneTable = sync.OnceValue(func() map[string]*Zone {
	table := make(map[string]*Zone, 600)
	for line := range strings.Lines(zoneText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		class := &zoneClass{long: [2]string{f[0], f[1]}, short: [3][2]string{{f[2], f[3]}, {f[4], f[5]}, {f[6], f[7]}}}
		for _, name := range strings.Fields(f[8]) {
			table[ascii.LowerString(name)] = &Zone{name, class}
		}
	}
	return table
})

// FindZone looks up a zone by its name in any case. Only listed names are passed to a
// loader, since the zone folder of a host also contains files that are not zones.
func FindZone(name string) (*Zone, bool) {
	zone, ok := zoneTable()[ascii.LowerString(name)]
	return zone, ok
}

// UTC is the name of the zone without an offset. ECMA-402 requires that aliases of UTC
// resolve to it.
const UTC = "UTC"

// ProperName returns the name that resolvedOptions shows.
func (z *Zone) ProperName() string {
	if z.class.short[localeUS][0] == UTC {
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
