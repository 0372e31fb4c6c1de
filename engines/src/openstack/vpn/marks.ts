import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../client/service-client'
import { markOf } from '../networking/marks'
import { rowsOf, type ListName } from './wire'

/*
 * VPN objects have no tags. Parts created with a connection have the ID of the intent at the end of their description,
 * which is not shown, to find them if the server dies, and to delete them with the last connection that uses them.
 */

/** Limit of the network service, characters. */
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

/** Adds the mark of an intent to a description. Throws at `field` if the result is too long. */
export const marked = (description: string, intent: string, field: string): string =>
  joined(description, markOf(intent), field)

/** A new description with the mark of the former one. */
export function remarked(description: string, before: string): string {
  const mark = MARK.exec(before)?.[1]
  return mark === undefined ? description : joined(description, mark, 'description')
}

/** IDs of rows created for an intent. */
export async function markedBy(caller: ServiceClient, list: ListName, intent: string): Promise<string[]> {
  const rows = (await rowsOf(caller, list)) as { id: string; description: string }[]
  return rows.flatMap(({ id, description }) => (marking(description) === intent ? [id] : []))
}
