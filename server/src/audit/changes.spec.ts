import { expect, test } from 'vitest'
import { changesInAddress, changesOf } from './changes'

test('records only changed fields and truncates long values', () => {
  const before = { name: 'a', size: 1, tags: ['x'], gone: null }
  expect(changesOf({ name: 'a', size: 2, tags: ['x', 'y'], note: 'n'.repeat(900), event: 'e' }, before)).toEqual([
    { field: 'size', from: '1', to: '2', is_secret: false },
    { field: 'tags', from: '["x"]', to: '["x","y"]', is_secret: false },
    { field: 'note', from: null, to: 'n'.repeat(255), is_secret: false },
  ])
  expect(changesOf(Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`f${at}`, at])), undefined)).toHaveLength(
    50,
  )
  for (const body of [undefined, null, 'text', ['list']]) expect(changesOf(body, before)).toEqual([])
})

test('records a path parameter that is not an ID as set or removed', () => {
  const params = { id: 'a', volume_id: 'b', tag: 'web', key: 'S3CRET' }
  expect(changesInAddress('PUT', params)).toEqual([{ field: 'tag', from: null, to: 'web', is_secret: false }])
  expect(changesInAddress('DELETE', params)).toEqual([{ field: 'tag', from: 'web', to: null, is_secret: false }])
})

test('records the ID of an object that is referenced by ID, unless it is unchanged', () => {
  const before = { flavor: { id: 'small', ram: 512 } }
  expect(changesOf({ flavor: 'large' }, before)).toEqual([
    { field: 'flavor', from: 'small', to: 'large', is_secret: false },
  ])
  expect(changesOf({ flavor: 'small' }, before)).toEqual([])
})

test('records a removed secret, but not one that a new object never had', () => {
  expect(changesOf({ user_data: null }, undefined)).toEqual([])
  expect(changesOf({ user_data: null }, { name: 'a' })).toEqual([
    { field: 'user_data', from: null, to: null, is_secret: true },
  ])
})

test.each([
  ['a password', { password: 'S3CRET' }],
  ['a secret within a setting', { smtp_settings: { account_name: 'a', password: 'S3CRET' } }],
  ['a secret in a list', { users: [{ name: 'a', adminPassword: 'S3CRET' }] }],
  ['a script for a guest', { user_data: 'S3CRET' }],
  ['a key', { key: { name: 'a.key', data: 'S3CRET' } }],
  ['a file that may contain a key', { cert: { name: 'a.p12', data: 'S3CRET' } }],
  ['a credential', { application_credential: { id: 'a', secret: 'S3CRET' } }],
  ['a token', { token: 'S3CRET', api_key: 'S3CRET', private_key: 'S3CRET' }],
])('records only that %s was set', (_, body) => {
  const changes = changesOf(body, body)
  const text = JSON.stringify([changes, changesOf(body, undefined)])
  expect(text).not.toContain('S3CRET')
  expect(text).toContain(Object.keys(body)[0])
})
