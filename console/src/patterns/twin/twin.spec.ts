import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { flavors } from '@mainstay/contract/compute/flavors'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { users } from '@mainstay/contract/identity/users'
// this import includes the schemas, unlike the console's build
import * as contract from '@mainstay/contract/resources'
import { instances } from '@mainstay/contract/compute/instances'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { tier } from '../../../../tools/lib/tier.mjs'
import type { AnyInput } from '../../api/dry-run'
import { inShell } from '../../../../server/src/testing/shell'
import { commandOf } from './command'
import { curlOf } from './curl'
import { shownRequest } from './request'
import { terraformOf } from './terraform'

interface Received {
  method: string
  url: string
  headers: Record<string, unknown>
  body: string
}

let server: TestServer
let mirror: Server
const received: Received[] = []
beforeAll(async () => {
  server = await startServer()
  mirror = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  mirror.close()
  await server.close()
})

const shell = async (text: string, environment: Record<string, string>) => (await inShell([{ text, environment }]))[0]!
const mirrorAddress = () => `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`
const shown = (endpoint: Endpoint, input: AnyInput) => shownRequest({ endpoint, input })

/** Every mutating contract call, once per example body (in the gate, only for the first), or without a body. */
const changing = Object.values(contract.allEndpoints as Record<string, Record<string, Endpoint>>)
  .flatMap((table) => Object.values(table))
  .filter(({ verb, bytes }) => verb !== 'GET' && bytes === undefined)
const examples = (endpoint: Endpoint) => {
  const bodies = examplesOf(endpoint.body).map((it) => filledIn(it, (kind) => `some-${kind}`))
  const some = tier === 'gate' ? bodies.slice(0, 1) : bodies
  return endpoint.body ? (some.length > 0 ? some : [{}]) : [undefined]
}
const params = { id: 'it’s one', key: 'a key', carrier: 'nodes', tag: 'a/b', name: 'n', kind: 'ldap' }
const paramsOf = ({ path }: Endpoint) =>
  Object.fromEntries(
    [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, (params as Record<string, string>)[name!] ?? 'x']),
  )

it('generates curl commands that send the form’s request, for every mutating call', async () => {
  expect(changing.length).toBeGreaterThan(90)
  const all = changing.flatMap((endpoint) =>
    examples(endpoint).map((body) => {
      const request = shown(endpoint, { params: paramsOf(endpoint), ...(body !== undefined && { body }) })
      // sets each secret variable to the value of its field
      const secrets: Record<string, string> = {}
      JSON.stringify(body, (name, value: unknown) => {
        if (typeof value === 'string' && request.secrets.includes(name.toUpperCase()))
          secrets[name.toUpperCase()] = value
        return value
      })
      const text = curlOf(request, mirrorAddress())
      return { endpoint, body, text, environment: { MAINSTAY_TOKEN: 'the token', ...secrets } }
    }),
  )
  received.length = 0
  await inShell(all)
  expect(received).toHaveLength(all.length)
  for (const [at, { endpoint, body }] of all.entries()) {
    const said = `${endpoint.verb} ${endpoint.path}`
    const one = received[at]!
    expect(one, said).toMatchObject({ method: endpoint.verb, headers: { 'x-auth-token': 'the token' } })
    expect(decodeURIComponent(one.url), said).toBe(
      endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => paramsOf(endpoint)[name] ?? ''),
    )
    if (body !== undefined) expect(JSON.parse(one.body), said).toEqual(body)
  }
})

it('generates curl commands that the server accepts', async () => {
  const token = await server.signIn('project-member')
  const flavor = (await server.call(flavors.list, { as: 'project-member' })).data[0]!.id
  const makers = Object.entries(contract.allEndpoints as Record<string, Record<string, Endpoint>>).flatMap(
    ([resource, { create }]) =>
      create?.body && ['volumes', 'sshKeys', 'serverGroups'].includes(resource) ? [create] : [],
  )
  expect(makers).toHaveLength(3)
  for (const create of makers) {
    const [example] = examplesOf(create.body)
    const odd = `it’s "$HOME" \`${create.path.length}\` \\n`
    // key names allow only plain letters
    const name = create.path.endsWith('/keys') ? 'plain' : odd
    const body = { ...(filledIn(example, () => flavor) as object), name }
    const answer = JSON.parse(await shell(curlOf(shown(create, { body }), server.url), { MAINSTAY_TOKEN: token })) as {
      id?: string
      name?: string
    }
    expect(answer, create.path).toMatchObject({ name: body.name })
  }
})

it('shows secrets as variables, which the shell substitutes without expanding other text', async () => {
  const body = { name: 'bo', password: 'hunter2-hunter2-hunter2', description: 'costs $5, `really` \\o/' }
  const request = shown(users.create, { body })
  for (const text of [curlOf(request, mirrorAddress()), commandOf(request), terraformOf(request)!])
    expect(text).not.toContain('hunter2')
  await shell(curlOf(request, mirrorAddress()), { MAINSTAY_TOKEN: 't', PASSWORD: body.password })
  expect(JSON.parse(received.at(-1)!.body)).toEqual(body)
  expect(terraformOf(request)).toContain('variable "password" {\n  type      = string\n  sensitive = true\n}')
  expect(terraformOf(request)).toContain('password = var.password')
})

it('generates the equivalent `mainstay` command', () => {
  expect(
    commandOf(shown(volumes.create, { body: { name: 'data one', size: 10, bootable: false, tags: undefined } })),
  ).toBe("mainstay compute volumes create \\\n  --name 'data one' \\\n  --size 10 \\\n  --bootable=false")
  expect(commandOf(shown(volumes.delete, { params: { id: 'v-1' } }))).toBe('mainstay compute volumes delete v-1')
  // a value that cannot be an option goes into the body
  expect(commandOf(shown(volumes.create, { body: { name: '@home', size: 1 } }))).toContain("--body - <<'END'")
})

it('generates Terraform for supported resources and returns null for others', () => {
  expect(
    terraformOf(shown(volumes.create, { body: { name: 'Data ${x}', size: 3 * 1024 ** 3, image_id: 'i-1' } })),
  ).toBe(
    [
      'resource "openstack_blockstorage_volume_v3" "data_x_" {',
      '  name = "Data $${x}"',
      '  size = 3',
      '  image_id = "i-1"',
      '}',
    ].join('\n'),
  )
  expect(terraformOf(shown(sshKeys.create, { body: { name: 'k', public_key: 'ssh-ed25519 AAAA' } }))).toContain(
    'public_key = "ssh-ed25519 AAAA"',
  )
  const instance = {
    name: 'web',
    flavor: 'f',
    networks: [{ id: 'n' }],
    volumes: [{ source: 'image', id: 'i', size: 2 * 1024 ** 3 }],
  }
  expect(terraformOf(shown(instances.create, { body: instance }))).toContain(
    '  network {\n    uuid = "n"\n  }\n\n  block_device {\n    uuid = "i"\n    source_type = "image"',
  )
  expect(terraformOf(shown(volumes.extend, { params: { id: 'v' }, body: { size: 1 } }))).toBeNull()
})
