// Package attachment keeps the documents that people attach to conversations, and prepares
// what each question gets of them.
//
//	docs, err := attachment.New(lib, records, &attachment.Options{Generate: ask})
//	a, err := docs.Add(ctx, "c1", "manual.pdf", data)
//	a, err = docs.Wait(ctx, "c1", a.ID)
//	search, err := advisor.Attachments(docs, nil) // gives them to the model with each question
//
// The file of an attachment is a document of a library, which belongs to the conversation:
// nothing of it is in the conversation's messages, no other search finds it, and it is
// deleted with the conversation, unless a person promoted it to a document of everybody. A
// copy of a conversation shares them ([Attachments.Copy]).
//
// What a question gets depends on the length of the text ([Tier]). A small text is there in
// full. Of a longer one there is an overview, and the passages that a search for the question
// finds. Small texts are indexed too, so that they can be promoted, and searched where the
// context of a model is too small for them.
//
// An overview is made by the model of Options.Generate, section by section; without one, and
// if the model fails, it consists of the sentences that are most typical of the document
// (Attachment.Extractive).
package attachment
