import type { Said } from '@mainstay/contract/core/said'
import { loadMessages, messageNow } from '../i18n/said'
import { CallProblem } from './problem'

/** Translates the server's messages in a problem into the page's language. Unknown messages stay in English. */
export async function inLanguage(problem: CallProblem): Promise<CallProblem> {
  const { said, fieldsSaid } = problem
  await loadMessages([...(said ? [said] : []), ...Object.values(fieldsSaid).flat()])
  const fields = Object.fromEntries(
    Object.entries(problem.fields).map(([name, texts]) => {
      const all = fieldsSaid[name] ?? []
      return [name, all.length === texts.length ? texts.map((text, at) => messageNow(all[at]!) ?? text) : texts]
    }),
  )
  return new CallProblem({ ...problem, fields, message: (said && wholeSentence(said, fields)) ?? problem.message })
}

/** Replaces the reason in the message for an invalid field with the translated message for that field. */
function wholeSentence({ key, values }: Said, fields: Readonly<Record<string, readonly string[]>>): string | null {
  const reason = key === 'core.wrong_field' ? fields[values['field'] as string]?.[0] : undefined
  return messageNow({ key, values: { ...values, ...(reason !== undefined && { reason }) } })
}
