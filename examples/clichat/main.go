// Clichat is a chat for the terminal.
package main

import _ "golang.org/x/term" // until the editor is here

func main() {}
