// Package intl writes dates and numbers as ECMA-402 has it, for the English locales
// en-US, en-GB and en-CA, with the time zones of the database that Go embeds. It knows
// nothing of the JavaScript engine: package platform reads the options of a script into
// [DateSettings] and [NumberSettings], and refuses what is not here.
package intl
