import { confirm, type Question } from './confirm'

/** `title`: "Delete SSH key “web”?"; `verb`: "Delete SSH key". Each kind has its own texts. */
export type DeleteQuestion = Pick<Question, 'title' | 'verb' | 'text' | 'typed' | 'disabledBecause' | 'run'>

/** Asks for confirmation before deleting one object. */
export const confirmDelete = (question: DeleteQuestion) => confirm({ isDanger: true, ...question })
