import { englishOf } from '@mainstay/contract/core/english'
import { Problem } from '@mainstay/contract/core/problems'
import type { GivenValues, MessageKey } from '@mainstay/contract/core/said'
import type { Statement } from '@mainstay/contract/infrastructure/node-rules'

/** Builds a message of the contract: the English text, and the key and values that are needed to translate it. */
export function statement<Key extends MessageKey>(key: Key, ...[given]: GivenValues<Key>): Statement {
  const values = { ...(given as Statement['values'] | undefined) }
  return { key, values, message: englishOf({ key, values }) }
}

/** Returns the message of an error of the contract. Throws any other error. */
export function statementOf(error: unknown): Statement {
  if (!(error instanceof Problem && error.said)) throw error
  const { key, values } = error.said
  return { key, values, message: error.message }
}
