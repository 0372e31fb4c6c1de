import { openSync, closeSync, writeSync } from 'node:fs'
import { Problem } from '@mainstay/contract/core/problems'
import { expect, test } from 'vitest'
import { asProblem, problemBody } from './problem-replies'

/** Returns the kernel's error for writing to a device that is always full. */
function thrownByFullDisk(): unknown {
  const file = openSync('/dev/full', 'w')
  try {
    return writeSync(file, 'x')
  } catch (error) {
    return error
  } finally {
    closeSync(file)
  }
}

test('reports a full disk with a request ID and advice', () => {
  const problem = asProblem(thrownByFullDisk())
  expect(problem).toMatchObject({ code: 'disk_full', status: 507 })
  expect(problemBody(problem, 'r-1').error).toMatchObject({
    err_code: 'disk_full',
    request_id: 'r-1',
    message: expect.stringMatching(/full.*Delete objects that you do not need/),
  })
  expect(asProblem(Object.assign(new Error('quota'), { code: 'EDQUOT' }))).toMatchObject({ code: 'disk_full' })
})

test('hides the details of an internal error', () => {
  expect(asProblem(new TypeError('x is undefined'))).toBeNull()
  expect(asProblem(new Problem('unknown', 'inner words'))).toBeNull()
  expect(problemBody(null, 'r-2').error).toMatchObject({ err_code: 'unknown', request_id: 'r-2' })
})
