import { zodResolver } from '@hookform/resolvers/zod'
import { defaultRule } from '@mainstay/contract/core/default-rules'
import { get, type FieldErrors, type FieldValues, type Resolver } from 'react-hook-form'
import type * as z from 'zod'
import { ruleText } from '../../i18n/said'

/**
 * Validates a form with a schema. When a list entry is added or removed, react-hook-form validates the whole list; in
 * that case, only errors on fields for which `isKnown` returns true are reported, so that a new entry does not start
 * with errors.
 */
export function schemaChecks(
  schema: z.ZodType<unknown, FieldValues>,
  isKnown: (name: string) => boolean,
): Resolver<FieldValues> {
  const check = zodResolver(schema as never, { error: defaultRule } as never) as unknown as Resolver<FieldValues>
  return async (values, context, options) => {
    const found = await check(values, context, options)
    await sayRules(found.errors)
    const list = changedList(values, options)
    const faults: unknown = list !== undefined && get(found.errors, list)
    if (!Array.isArray(faults)) return found
    const known = faults.map((entry: unknown, at) => knownFaults(entry, `${list!}.${at}`, isKnown))
    const rest = Object.assign(known, { root: (faults as { root?: unknown }).root })
    const isFine = rest.root === undefined && known.every((entry) => entry === undefined)
    return { values: {}, errors: isFine ? {} : nested(list!, rest) }
  }
}

/** Replaces rule names in error messages with sentences in the page's language. */
async function sayRules(errors: object): Promise<void> {
  const saying = Object.entries(errors).map(async ([key, part]: [string, unknown]) => {
    if (key === 'message' && typeof part === 'string') (errors as { message: string }).message = await ruleText(part)
    else if (key !== 'ref' && typeof part === 'object' && part !== null) await sayRules(part)
  })
  await Promise.all(saying)
}

/** The list being validated on its own: a single name without a registered field. */
const changedList = (values: FieldValues, { names, fields }: Parameters<Resolver>[2]): string | undefined =>
  names?.length === 1 && Array.isArray(get(values, names[0])) && get(fields, names[0]) === undefined
    ? names[0]
    : undefined

const nested = (name: string, fault: unknown): FieldErrors =>
  name
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, key) => ({ [key]: inner }), fault) as FieldErrors

function knownFaults(fault: unknown, name: string, isKnown: (name: string) => boolean): unknown {
  if (typeof fault !== 'object' || fault === null) return undefined
  if (typeof (fault as { type?: unknown }).type === 'string') return isKnown(name) ? fault : undefined
  const parts = Object.entries(fault).flatMap(([key, part]) => {
    const known = knownFaults(part, `${name}.${key}`, isKnown)
    return known === undefined ? [] : [[key, known] as const]
  })
  return parts.length === 0 ? undefined : Object.assign(Array.isArray(fault) ? [] : {}, Object.fromEntries(parts))
}
