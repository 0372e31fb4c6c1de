import { expect, it } from 'vitest'
import { unserved } from './unserved'

const compute = unserved<'compute'>('Install QEMU')

it('a command of an area that nobody serves says what to do about it', async () => {
  const refused = { code: 'not_configured', message: 'Install QEMU' }
  await expect(compute.instances.delete({} as never, 'i1', null)).rejects.toMatchObject(refused)
  await expect(compute.quotas({} as never, 'p1')).rejects.toMatchObject(refused)
})

it('a port of an area that nobody serves can be awaited, like one that somebody serves', async () => {
  expect(typeof (await Promise.resolve(compute.instances)).create).toBe('function')
  expect(typeof (await Promise.resolve(compute)).stat).toBe('function')
})
