// Package intl formats dates and numbers as ECMA-402 defines, for the English locales
// en-US, en-GB and en-CA, with the time zone database that Go embeds. It does not depend
// on the JavaScript engine: package platform reads the options of a script into
// [DateSettings] and [NumberSettings], and refuses unsupported ones.
package intl
