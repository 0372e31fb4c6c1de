import { confirm, type Question } from './confirm'

/** `title`: "Delete SSH key “web”?"; `verb`: "Delete SSH key". Each is a sentence of its own for each kind. */
export type DeleteQuestion = Pick<Question, 'title' | 'verb' | 'text' | 'typed' | 'run'>

/** Asks before one thing is deleted. */
export const confirmDelete = (question: DeleteQuestion) => confirm({ isDanger: true, ...question })
