import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../client/service-client'
import { markOf } from '../networking/marks'
import { rowsOf, type ListName } from './wire'

/*
 * Rows of VPN have no tags. What is made with a connection bears the id of its intent at the end of its description, which is not
 * shown: it is found when the server dies that had it made, and it goes with the last connection that uses it.
 */

/** What the network service takes, characters. */
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

/** The description of what is made for an intent. Throws at `field` where it is too long for that. */
export const marked = (description: string, intent: string, field: string): string =>
  joined(description, markOf(intent), field)

/** Another description, with the mark of the one before. */
export function remarked(description: string, before: string): string {
  const mark = MARK.exec(before)?.[1]
  return mark === undefined ? description : joined(description, mark, 'description')
}

/** Ids of rows that were made for an intent. */
export async function markedBy(caller: ServiceClient, list: ListName, intent: string): Promise<string[]> {
  const rows = (await rowsOf(caller, list)) as { id: string; description: string }[]
  return rows.flatMap(({ id, description }) => (marking(description) === intent ? [id] : []))
}
