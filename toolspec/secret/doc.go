// Package secret keeps secrets out of what leaves a host. An author writes
// ${NAME} where a secret belongs; a [Resolver] puts the value in as late as
// possible, and a [Redactor] made of the values it put in masks them wherever
// they would come out again. What has to be kept, such as a token, a [Vault]
// seals.
//
// Only text that an author wrote is resolved. Text that a caller sends is never
// a template: "${HOME}" given as an argument stays those seven characters.
package secret
