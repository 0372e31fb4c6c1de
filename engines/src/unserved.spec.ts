import { expect, it } from 'vitest'
import { unserved } from './unserved'

const compute = unserved<'compute'>('Install QEMU')

it('rejects every command of an unserved area with an error that contains the advice', async () => {
  const refused = { code: 'not_configured', message: 'Install QEMU' }
  await expect(compute.instances.delete({} as never, 'i1', null)).rejects.toMatchObject(refused)
  await expect(compute.quotas({} as never, 'p1')).rejects.toMatchObject(refused)
})

it('can be awaited like the port of a served area', async () => {
  expect(typeof (await Promise.resolve(compute.instances)).create).toBe('function')
  expect(typeof (await Promise.resolve(compute)).stat).toBe('function')
})
