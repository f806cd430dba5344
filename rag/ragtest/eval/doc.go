// Package eval measures how well documents are found: which store, mode and reranking finds
// what answers a question, which of them says nothing when there is no answer, and which
// splitter makes chunks that hold the answer and little else.
//
// A [Set] is documents with questions about them. [Handbook] is one that we wrote, with
// questions in other words than the answers and with questions that have no answer;
// [GoDocs] makes one of the comments in the sources of Go, which are there wherever tests
// run; [LoadBEIR] reads any in the layout of BEIR from a folder. [Measure] asks the questions.
//
// A [SpanSet] is texts with questions and the exact places of what answers them: [GoDocs]
// makes one, and [LoadSpans] reads one from a folder. [MeasureSplitter] divides the texts,
// searches the chunks and counts tokens.
//
// # Figures
//
// Of go run ./rag/ragtest/eval/evaluate, in percent. Recall@k is the share of the relevant
// documents among the first k, MRR the mean of 1/rank of the first of them, nDCG@10 also
// says how far in front they are. Silent is the share of questions with an answer for which
// nothing is found, and abstained that of the questions without one. The search by vectors
// uses embedding.Words, which compares words as well: no model of meaning can be had
// without a download, so that the questions in other words are lost in every mode. With a
// model, add -ollama MODEL.
//
//	handbook: 40 documents, 40 questions with an answer and 30 without
//	R@1    R@5    R@10   MRR@10  nDCG@10  silent  abstained
//	100.0  100.0  100.0  100.0   100.0    0.0     80.0       flat lexical
//	100.0  100.0  100.0  100.0   100.0    0.0     0.0        all others
//
//	handbook in other words: 40 documents, 40 questions with an answer and 30 without
//	0.0    0.0    0.0    0.0     0.0      97.5    80.0       flat lexical
//	2.5    7.5    25.0   6.5     10.6     0.0     0.0        flat and chromem vector, hybrid
//	2.5    10.0   22.5   6.2     9.9      0.0     0.0        flat and chromem vector, diverse
//
//	Go's comments (1.26): 1196 documents, 1196 questions with an answer and 30 without
//	38.0   69.4   77.2   51.2    57.5     2.3     90.0       flat lexical
//	33.9   62.8   73.0   46.0    52.5     2.3     90.0       flat lexical, reranked
//	34.4   62.8   72.2   46.1    52.4     0.0     0.0        flat and chromem vector, also reranked
//	34.4   53.8   63.1   42.7    47.5     0.0     0.0        flat and chromem vector, diverse
//	37.8   68.3   77.0   50.8    57.1     0.0     0.0        flat hybrid, chromem and flat hybrid
//	34.4   62.8   72.2   46.1    52.4     0.0     0.0        flat hybrid, reranked
//
//	Go's comments by package: 151 texts, 1196 questions
//	recall  precision  IoU   best precision  chunks  tokens
//	84.2    2.7        2.6   17.5            287     546     800 tokens
//	83.1    2.4        2.4   12.9            401     640     800 tokens, overlap of 400
//	80.0    4.5        4.5   24.8            479     327     400 tokens
//	72.6    7.4        7.2   36.8            875     179     200 tokens
//	72.4    7.7        7.5   39.2            915     171     sentences
//	73.2    13.0       13.0  100.0           1534    97      Markdown
//	72.4    6.4        6.3   24.8            3488    367     sentences in 400 tokens
//
// The reranking is by the vectors of the same embedder: it shows that the stage works, not
// what a real reranker gains. The splitters are compared by a search for words in flat with 5
// chunks for each question. The tests of rag/pgvector and rag/qdrant hold those stores to the
// figures of flat for the mode vector, the only one that they have. An answer here is a section of Markdown, so that the splitter by
// structure can meet it exactly; in the others 5 chunks are up to 40 times the answer.
package eval
