import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** @param {...string} parts */
export const inRoot = (...parts) => path.join(root, ...parts)

/** @param {...string} parts */
export const isThere = (...parts) => existsSync(inRoot(...parts))

/** Folder for logs and reports from test runs. */
export const logFolder = inRoot('.cache', 'test-logs')

/** Bootable guest image for tests with a real hypervisor. */
export const guestImage = inRoot('.cache', 'guest', 'tiny.qcow2')
