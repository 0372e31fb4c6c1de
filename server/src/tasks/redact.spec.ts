import { expect, test } from 'vitest'
import { safeResult } from './redact'

test.each(['password', 'passphrase', 'secret', 'token', 'private_key', 'credential', 'authorization'])(
  'removes %s from results at any depth',
  (name) => {
    expect(safeResult({ id: '1', [name]: 'x', inner: [{ [name]: 'x', size: 2 }] })).toEqual({
      ...{ id: '1', inner: [{ size: 2 }] },
    })
  },
)
