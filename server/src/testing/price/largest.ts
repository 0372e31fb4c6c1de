import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { jsonSchemaOf, type JsonSchema } from '../arbitrary'

/*
 * Generates the largest bodies that a call accepts, as an attacker would send them to keep the server busy. They are
 * derived from the contract's schemas, from its examples, and from raw bytes.
 */

/** Thrown when a generated value exceeds the size limit for bodies. */
class TooLarge extends Error {}

/** Generates the largest value for a schema with at most `items` items per list and `letters` characters per string. */
function largestOf(schema: JsonSchema, items: number, letters: number, budget: { left: number }): unknown {
  if ((budget.left -= 4) < 0) throw new TooLarge()
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum.at(-1)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && choices.length > 0) return largestChoice(choices, items, letters, budget)
  if (schema.allOf?.[0]) return largestOf(schema.allOf[0], items, letters, budget)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'null':
      return null
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 2 ** 31, 2 ** 53 - 1)
    case 'array': {
      const count = Math.min(schema.maxItems ?? items, items)
      return Array.from({ length: count }, () => largestOf(schema.items ?? {}, items, letters, budget))
    }
    case 'object': {
      const open = schema.additionalProperties
      const more = typeof open === 'object' ? Array.from({ length: items }, (_, at) => [`k${at}`, open] as const) : []
      const fields = [...Object.entries(schema.properties ?? {}), ...more]
      return Object.fromEntries(
        fields.map(([name, inner]) => {
          budget.left -= name.length
          return [name, largestOf(inner, items, letters, budget)]
        }),
      )
    }
    default: {
      const length = Math.min(schema.maxLength ?? letters, letters)
      budget.left -= length
      return 'a'.repeat(length)
    }
  }
}

const largestChoice = (choices: JsonSchema[], items: number, letters: number, budget: { left: number }): unknown => {
  const made = choices.map((choice) => {
    const own = { ...budget }
    const value = largestOf(choice, items, letters, own)
    return { value, cost: budget.left - own.left }
  })
  const dearest = made.reduce((one, other) => (other.cost > one.cost ? other : one))
  budget.left -= dearest.cost
  return dearest.value
}

/** Enlarges a valid value with longer lists and strings, as far as the schema allows. */
function enlarged(value: unknown, schema: JsonSchema | undefined, items: number, letters: number): unknown {
  if (Array.isArray(value)) {
    const first: unknown = value[0]
    if (first === undefined) return value
    const count = Math.min(schema?.maxItems ?? items, items)
    return Array.from({ length: Math.max(count, value.length) }, () => enlarged(first, schema?.items, items, letters))
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, enlarged(inner, schema?.properties?.[name], items, letters)]),
    )
  if (typeof value !== 'string' || schema?.enum || schema?.type !== 'string') return value
  const most = Math.min(schema.maxLength ?? letters, letters)
  return /^[\w .-]+$/.test(value) && most > value.length ? value.padEnd(most, 'a') : value
}

const sizes = [10_000, 3_000, 1_000, 300, 100, 30, 10, 3, 1]

/** Returns the largest JSON that fits into `bytes`. */
function fitting(bytes: number, make: (size: number, budget: { left: number }) => unknown): string[] {
  for (const size of sizes) {
    try {
      const text = JSON.stringify(make(size, { left: 2 * bytes }))
      if (Buffer.byteLength(text) <= bytes) return [text]
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
    }
  }
  return []
}

/** Bodies of at most `bytes` for a call, each as large as possible. `idOf` returns the ID of a row of a kind. */
export function largestBodies(endpoint: Endpoint, bytes: number, idOf: (kind: string) => string): string[] {
  if (!endpoint.body) return []
  const schema = jsonSchemaOf(endpoint.body)
  const room = bytes - 100
  return [
    ...fitting(bytes, (size, budget) => largestOf(schema, size, 100_000, budget)),
    ...fitting(bytes, (size, budget) => largestOf(schema, size, 64, budget)),
    ...fitting(bytes, (size, budget) => largestOf(schema, Math.min(size, 10), bytes, budget)),
    ...examplesOf(endpoint.body).flatMap((example) => {
      const body = filledIn(example, idOf)
      return [
        ...fitting(bytes, (size) => enlarged(body, schema, size, 255)),
        ...fitting(bytes, (size) => enlarged(body, schema, 1, size * 10)),
      ]
    }),
    // bodies that do not depend on the schema: many names, deep lists, one long string
    `{${Array.from({ length: Math.floor(room / 12) }, (_, at) => `"k${at}":0`.padEnd(11)).join(',')}}`,
    `{"name":${'['.repeat(room / 2)}${']'.repeat(room / 2)}}`,
    JSON.stringify({ name: 'a'.repeat(room) }),
  ].filter((text) => Buffer.byteLength(text) <= bytes)
}
