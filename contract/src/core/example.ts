import type * as z from 'zod'

/*
 * Examples of bodies stand with their schemas, and in the OpenAPI document: `.meta({ examples: [...] })`. The fuzzer, the
 * isolation test and the engines' conformance make things by them.
 */

/** In an example, the id of some row of a kind. */
export const someId = (kind: string): string => `<${kind} id>`

const placeholder = /^<(\w+) id>$/

/** Kinds of the rows that an example names by their ids. */
export const kindsIn = (example: unknown): string[] => [
  ...new Set(textsIn(example).flatMap((text) => placeholder.exec(text)?.[1] ?? [])),
]

/** An example with ids of rows that there are. */
export function filledIn(example: unknown, idOf: (kind: string) => string): unknown {
  if (typeof example === 'string') return example.replace(placeholder, (_, kind: string) => idOf(kind))
  if (Array.isArray(example)) return example.map((item: unknown) => filledIn(item, idOf))
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, filledIn(value, idOf)]))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** The examples of a schema. */
export const examplesOf = (schema: z.ZodType | undefined): Record<string, unknown>[] =>
  (schema?.meta()?.['examples'] as Record<string, unknown>[] | undefined) ?? []
