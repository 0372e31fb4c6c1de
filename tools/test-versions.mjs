// `npm run test:versions`: runs an earlier release of the server and this one on the same database for a minute. Then
// stops the newer one, restarts the older one, and starts the newer one again.
//   --earlier COMMIT   the older release, which must contain the baseline; default: the newest commit with
//                      different migrations, otherwise the previous commit
//   --next             compares this release with itself plus a migration that only adds columns and tables
//   --seconds N        how long both releases run
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs, promisify } from 'node:util'
import { inRoot, root } from './lib/paths.mjs'
import { runLogged, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

const migrations = 'server/src/store/migrations'
const workspaces = ['contract', 'engines', 'server', 'console']

/** @param {...string} args */
async function git(...args) {
  const { stdout } = await promisify(execFile)('git', args, { cwd: root, maxBuffer: 1 << 26 })
  return stdout.trim()
}

/** Returns the commit that added the baseline; earlier releases cannot use the current database. */
const firstRelease = () =>
  git('log', '-1', '--diff-filter=A', '--format=%H', '--', `${migrations}/0149-baseline/baseline.ts`)

/** @param {string} commit */
const hasBaseline = async (commit) =>
  git('merge-base', '--is-ancestor', await firstRelease(), commit).then(
    () => true,
    () => false,
  )

/**
 * Returns the newest commit with different migrations, otherwise the previous commit. The result is never older than
 * the first release.
 */
async function previousRelease() {
  const changing = await git('log', '-1', '--format=%H', `${await firstRelease()}..HEAD`, '--', migrations)
  const before = changing ? `${changing}~1` : 'HEAD~1'
  return (await hasBaseline(before)) ? before : firstRelease()
}

/**
 * Checks out a commit into a folder and provides its packages. Shares the installed packages if the lockfile is
 * the same.
 *
 * @param {string} folder
 * @param {string} commit
 */
async function checkOut(folder, commit) {
  await git('worktree', 'add', '--detach', '--force', folder, commit)
  const lock = (/** @type {string} */ where) => readFileSync(path.join(where, 'package-lock.json'), 'utf8')
  if (lock(folder) !== lock(root)) {
    const log = inRoot('.cache', 'test-logs', 'versions-packages.log')
    const words = ['ci', '--prefix', folder, '--ignore-scripts=false', '--no-audit', '--no-fund']
    const { code } = await runLogged('npm', words, { log, timeoutMs: 600_000 })
    if (code !== 0) throw new Error(`npm ci of ${commit} failed:\n${tailOf(log, 20)}`)
    return
  }
  for (const where of ['.', ...workspaces]) shareModules(path.join(root, where), path.join(folder, where))
}

/**
 * Links all installed packages except the workspaces, which the folder itself contains.
 *
 * @param {string} from
 * @param {string} to
 */
function shareModules(from, to) {
  const [installed, shared] = [path.join(from, 'node_modules'), path.join(to, 'node_modules')]
  if (!existsSync(installed)) return
  mkdirSync(path.join(shared, '@mainstay'), { recursive: true })
  for (const name of readdirSync(installed))
    if (name !== '@mainstay') symlinkSync(path.join(installed, name), path.join(shared, name))
  if (to === path.dirname(shared) && existsSync(path.join(installed, '@mainstay')))
    for (const name of workspaces) symlinkSync(path.join(to, name), path.join(shared, '@mainstay', name))
}

/** Adds a migration that only adds columns and a table to the sources in a folder. @param {string} folder */
function addMigration(folder) {
  const list = path.join(folder, migrations, 'all.ts')
  const text = readFileSync(list, 'utf8')
  const newest = [...text.matchAll(/\{ name: '([^']+)'/g)].at(-1)?.[1]
  writeFileSync(
    path.join(folder, migrations, '9999-next-release.ts'),
    `import { sql, type Kysely } from 'kysely'
export const needs = '${newest}'
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['resource', 'change', 'job', 'session'])
    await sql\`alter table \${sql.table(table)} add column of_next_release text not null default 'new'\`.execute(db)
  await sql\`create table next_release (id text primary key)\`.execute(db)
}
`,
  )
  const added = text
    .replace(/^/, "import * as next from './9999-next-release'\n")
    .replace(/,?\s*\]\s*$/, ",\n  { name: '9999-next-release', ...next },\n]\n")
  writeFileSync(list, added)
}

async function main() {
  const { values } = parseArgs({
    options: {
      earlier: { type: 'string' },
      next: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '60' },
    },
  })
  stopChildrenOnInterrupt()
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-release-'))
  const other = path.join(folder, 'sources')
  const commit = values.next ? 'HEAD' : (values.earlier ?? (await previousRelease()))
  if (!(await hasBaseline(commit)))
    throw new Error(`${commit} is older than the schema baseline. Choose a later commit`)
  try {
    await checkOut(other, commit)
    if (values.next) addMigration(other)
    const [older, newer] = values.next ? [root, other] : [other, root]
    process.stdout.write(
      values.next
        ? 'this release, and this release with one more migration\n'
        : `${await git('log', '-1', '--format=%h %s', commit)}, and this release\n`,
    )
    const log = inRoot('.cache', 'test-logs', 'versions.log')
    const program = inRoot('server', 'src', 'testing', 'two-releases.ts')
    const words = ['--import', 'tsx', program, '--older', older, '--newer', newer, '--seconds', values.seconds]
    const { code } = await runLogged(process.execPath, words, { log, timeoutMs: 1_800_000, live: true })
    process.stdout.write(code === 0 ? '\n1 passed, 0 failed\n' : `\n0 passed, 1 failed; full log: ${log}\n`)
    return code === 0 ? 0 : 1
  } finally {
    await git('worktree', 'remove', '--force', other).catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
