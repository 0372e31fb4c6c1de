import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

/**
 * Lists all tracked files, and untracked files that are not ignored.
 *
 * @param {string} [folder] root of a checkout
 * @returns {string[]} relative paths
 */
export function repositoryFiles(folder = root) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  const files = [...new Set(listed.split('\0').filter(Boolean))].sort()
  return files.filter((file) => existsSync(path.join(folder, file)) && statSync(path.join(folder, file)).isFile())
}

/** @param {string} file relative path */
export const readText = (file) => readFileSync(path.join(root, file), 'utf8')

/** @param {string} file */
export const isCode = (file) => /\.(ts|tsx|mts|mjs|js)$/.test(file) && !file.endsWith('.d.ts')

/** @param {string} file */
export const isTest = (file) => /\.(spec|test|e2e)\.tsx?$/.test(file)
