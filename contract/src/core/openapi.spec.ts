import { describe, expect, it } from 'vitest'
import { allEndpoints } from '../resources'
import type { Endpoint } from './endpoint'
import { openApi, type Json } from './openapi'

const document = openApi(allEndpoints, { title: 'Mainstay', version: '1' })
const calls = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, call]) => ({ path, verb, call })),
)

describe('OpenAPI document', () => {
  it('contains every call once', () => {
    const said = Object.values(allEndpoints as Record<string, Record<string, Endpoint>>).flatMap((table) =>
      Object.values(table).map(({ verb, path }) => `${verb} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    )
    const told = calls.map(({ verb, path }) => `${verb.toUpperCase()} ${path}`)
    expect(told.toSorted()).toEqual(said.toSorted())
    expect(new Set(calls.map(({ call }) => call.operationId)).size).toBe(calls.length)
  })

  it('declares all path parameters', () => {
    for (const { path, call } of calls) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1])
      const declared = call.parameters.filter((it) => it.in === 'path').map(({ name }) => name)
      expect(declared).toEqual(named)
      expect(call.parameters.filter((it) => it.in === 'path').every(({ required }) => required)).toBe(true)
    }
  })

  it('describes the parent IDs in paths', () => {
    const described = (path: string) => document.paths[path]!['get']!.parameters.map((it) => [it.name, it.description])
    const description = 'ID of the domain, or "-" for any domain that you can see. To create an object, give the ID.'
    expect(described('/api/v2/domains/{domain_id}/users/{id}')).toEqual([
      ['domain_id', description],
      ['id', undefined],
    ])
    // properties belong to one domain, so "-" is not allowed here
    expect(described('/api/v2/domains/{domain_id}/props')).toEqual([['domain_id', undefined]])
  })

  it('is plain JSON without dangling references', () => {
    const text = JSON.stringify(document)
    expect(JSON.parse(text)).toEqual(document)
    for (const [, target] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = target!.split('/').reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document)
      expect(found, target).toBeDefined()
    }
  })

  it('describes request bodies and responses', () => {
    const change = document.paths['/api/v2/accounts/change-password']!['put']!
    const required = ['current_password', 'new_password']
    expect(change['requestBody']).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { type: 'object', required } } },
    })
    expect(document.paths['/api/v2/login']!['post']!['security']).toEqual([])
    const start = document.paths['/api/v2/compute/servers/{id}/start']!['post']!
    expect(start['requestBody']).toMatchObject({ required: false })
    expect(Object.keys(start.responses)).toEqual(['202', '4XX', '5XX'])
    const remove = document.paths['/api/v2/compute/images/{id}']!['delete']!
    expect(remove.responses['204']).toEqual({ description: 'Success' })
  })

  it('describes byte streams as binary bodies', () => {
    const upload = document.paths['/api/v2/compute/images']!['post']!
    expect(upload['requestBody']).toMatchObject({ content: { 'application/octet-stream': {} } })
    expect(upload.parameters.find(({ name }) => name === 'x-hci-image-name')).toMatchObject({
      in: 'header',
      required: true,
    })
    const download = document.paths['/api/v2/compute/images/{id}/file']!['get']!
    expect(download.responses['200']).toMatchObject({ content: { 'application/octet-stream': {} } })
  })
})
