import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../client/service-client'
import { markOf } from '../networking/marks'
import { rowsOf, type ListName } from './wire'

/*
 * VPN objects have no tags. The description of a part that was created with a connection therefore ends with the ID of
 * the intent, which is not shown. It is used to find the part if the server dies, and to delete the part with the
 * last connection that uses it.
 */

/** The network service's limit for a description, in characters. */
const MAX_DESCRIPTION = 255
const MARK = /\n?(Made by Mainstay \(([^()\n]+)\))$/

export const withoutMark = (description: string): string => description.replace(MARK, '')
export const isMarked = (description: string): boolean => MARK.test(description)
const marking = (description: string): string | null => MARK.exec(description)?.[2] ?? null

const joined = (text: string, mark: string, field: string): string => {
  const whole = text === '' ? mark : `${text}\n${mark}`
  const most = MAX_DESCRIPTION - mark.length - 1
  if (whole.length > MAX_DESCRIPTION) throw fieldProblem(field, 'vpn.too_long_for_cloud', { most })
  return whole
}

/** Adds the mark of an intent to a description. Throws an error on `field` if the result is too long. */
export const marked = (description: string, intent: string, field: string): string =>
  joined(description, markOf(intent), field)

/** Returns a new description with the mark of the previous one. */
export function remarked(description: string, before: string): string {
  const mark = MARK.exec(before)?.[1]
  return mark === undefined ? description : joined(description, mark, 'description')
}

/** Reads the IDs of the rows created for an intent. */
export async function markedBy(caller: ServiceClient, list: ListName, intent: string): Promise<string[]> {
  const rows = (await rowsOf(caller, list)) as { id: string; description: string }[]
  return rows.flatMap(({ id, description }) => (marking(description) === intent ? [id] : []))
}
