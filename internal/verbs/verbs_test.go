package verbs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/internal/verbs"
)

func TestIrreversible(t *testing.T) {
	for name, want := range map[string]struct{ anywhere, leading string }{
		"delete_event":             {"delete", "delete"},
		"deletePage":               {"delete", "delete"},
		"REMOVE_ALL":               {"remove", "remove"},
		"truncate_table":           {"truncate", "truncate"},
		"delete2":                  {"delete", "delete"},
		"wipe-disk":                {"wipe", "wipe"},
		"git_force_push":           {"force push", "force push"},
		"gitforcepush":             {"", "force push"},
		"forcePush":                {"force push", "force push"},
		"force-push":               {"force push", "force push"},
		"format_disk":              {"format", "format"},
		"format_date":              {"", ""},
		"formatCsv":                {"", ""},
		"reset_filters":            {"", ""},
		"notion-delete-page":       {"delete", ""},
		"HTTPDelete":               {"delete", ""},
		"undelete":                 {"", ""},
		"get_weather":              {"", ""},
		"":                         {"", ""},
		"graph_mail_deleteMessage": {"delete", ""},
		"forcepush":                {"forcepush", "forcepush"},
		"rm2":                      {"rm", "rm"},
		"reset":                    {"reset", "reset"},
		"reset_password":           {"reset", "reset"},
		"list_deleted":             {"", ""},
		"killer_app":               {"", ""},
		"ｄelete":                   {"", ""},
	} {
		assert.Equal(t, want.anywhere, verbs.Irreversible("x", name), name)
		assert.Equal(t, want.leading, verbs.Leading("x", name), name)
	}
}
