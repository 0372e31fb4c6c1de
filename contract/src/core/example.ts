import type * as z from 'zod'

/*
 * Examples of request bodies are part of the schemas, `.meta({ examples: [...] })`, and of the OpenAPI document. The
 * fuzzer, the isolation test and the engine conformance tests create objects from them.
 */

/** Returns a placeholder for the ID of an existing row of this kind, for use in an example. */
export const someId = (kind: string): string => `<${kind} id>`

const placeholder = /^<(\w+) id>$/

/** Returns the kinds that the placeholders in an example refer to. */
export const kindsIn = (example: unknown): string[] => [
  ...new Set(textsIn(example).flatMap((text) => placeholder.exec(text)?.[1] ?? [])),
]

/** Replaces the placeholders in an example with IDs of existing rows. */
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

/** Returns the examples that a schema declares. */
export const examplesOf = (schema: z.ZodType | undefined): Record<string, unknown>[] =>
  (schema?.meta()?.['examples'] as Record<string, unknown>[] | undefined) ?? []
