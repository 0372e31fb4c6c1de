import { expect, it } from 'vitest'
import { startServer } from '../../server/src/testing/start-server'
import { storable } from './patterns/form/storable'
import { emptyInstanceForm } from './areas/compute/instances/add/instance-form'
import { newSniCertificate, startOf } from './areas/load-balancing/pools/pool-form'
import { emptyVpnForm } from './areas/vpn/vpn-form'

/* Checks what the real forms store as drafts in the browser. */

/** Replaces every string in the value with sample text. */
const filled = (value: unknown): unknown => {
  if (typeof value === 'string') return 'typed'
  if (Array.isArray(value)) return value.map(filled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]))
}
const emptied = (value: unknown, path = ''): string[] => {
  if (value === '') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => emptied(inner, path === '' ? name : `${path}.${name}`))
}
const leftOut = (form: unknown) => emptied(storable(filled(form)))

it('omits only the secrets from the drafts of the instance, load balancer pool and VPN forms', () => {
  expect(leftOut(emptyInstanceForm)).toEqual(['script'])
  const pool = { ...startOf('HTTPS-HTTP'), sni: [newSniCertificate] }
  expect(leftOut(pool)).toEqual(['privateKey', 'sni.0.privateKey'])
  expect(leftOut(emptyVpnForm(null, null, []))).toEqual(['psk'])
})

it('keeps every secret request field out of drafts, in snake case and camel case', async () => {
  const names = new Set<string>()
  const walk = (schema: unknown) => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [word, inner] of Object.entries(schema)) {
      if (word === 'properties') for (const name of Object.keys(inner as object)) names.add(name)
      walk(inner)
    }
  }
  const server = await startServer()
  const answer = await fetch(`${server.adminUrl}/api/v2/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, { requestBody?: unknown }>> }
  await server.close()
  for (const calls of Object.values(paths)) for (const { requestBody } of Object.values(calls)) walk(requestBody)
  const soundsSecret =
    /passw|passphrase|secret|token|credential|private_key|user_data|personality|psk|^otp$|recovery_code/
  const secret = [...names].filter((name) => soundsSecret.test(name))
  expect(names.size).toBeGreaterThan(200)
  expect(secret.length).toBeGreaterThan(5)
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  for (const name of secret.flatMap((it) => [it, camel(it)]))
    expect(storable({ [name]: 'hush' }), name).toEqual({ [name]: '' })
})

it('omits files, hidden fields and any text that looks like a key or a script', () => {
  const key = '-----BEGIN PRIVATE KEY-----MIIE'
  const form = { note: key, list: ['a\nb', 'c'], name: 'web', deep: [{ answer: 'hush' }], file: new File(['x'], 'x') }
  expect(storable(form, new Set(['deep.0.answer']))).toEqual({
    ...{ note: '', list: ['', 'c'], name: 'web', deep: [{ answer: '' }], file: null },
  })
})
