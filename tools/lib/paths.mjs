import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** @param {...string} parts */
export const inRoot = (...parts) => path.join(root, ...parts)

/** @param {...string} parts */
export const isThere = (...parts) => existsSync(inRoot(...parts))

/** Where a run leaves its logs and reports. */
export const logFolder = inRoot('.cache', 'test-logs')

/** The bootable guest that tests with a real hypervisor use. */
export const guestImage = inRoot('.cache', 'guest', 'tiny.qcow2')
