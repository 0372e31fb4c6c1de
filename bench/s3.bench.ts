import { readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { quantile, type Row } from './protocol'
import { hasNginx, startNginx } from './support/nginx'
import { quick, whole } from './support/quick'
import type { S3Calls } from './support/s3-calls'
import { withS3Program, type S3Program } from './support/s3-program'

const MiB = 1024 ** 2
const LARGE = 64 * MiB
const SMALL = 4 * 1024
const LARGE_ROUNDS = quick ? 5 : 15
const SMALL_ROUNDS = quick ? 200 : 1000
/** Bytes transferred while memory is measured, half in each direction: 20 GB with `--whole`. */
const PASSING = (whole ? 20 : quick ? 1 : 2) * 1e9
/** Size of one transferred object. */
const PASSING_AT_ONCE = 500 * MiB

/**
 * Measures object storage at the S3 endpoint and through the console's proxy, compared with nginx serving the same
 * bytes with sendfile. The compared requests alternate, so that other load on the machine affects both.
 */
export async function run(): Promise<Row[]> {
  return withS3Program(async (program, newFolder) => {
    await program.direct.put('/bench', 0)
    return [
      ...(await compare(program)),
      ...(await againstNginx(program, await newFolder())),
      await memory('', program.direct, program),
      await memory(' through the console', program.console, program),
    ]
  })
}

const median = (times: readonly number[]) => quantile(times, 0.5)

/** Alternates between the two calls and returns the median of each. The first round is a warm-up. */
async function inTurn(
  rounds: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const [first, second] = [await one(), await other()]
    if (round === 0) continue
    times[0].push(first)
    times[1].push(second)
  }
  return [median(times[0]), median(times[1])]
}

async function compare({ direct, console }: S3Program): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, size, rounds] of [
    ['64 MiB', LARGE, LARGE_ROUNDS],
    ['4 KiB', SMALL, SMALL_ROUNDS],
  ] as const) {
    const key = `/bench/${size}`
    for (const verb of ['put', 'get'] as const) {
      const call = (calls: S3Calls) => () => (verb === 'put' ? calls.put(key, size) : calls.get(key))
      const [value, against] = await inTurn(rounds, call(console), call(direct))
      rows.push({
        ...{ name: `object storage, ${verb.toUpperCase()} ${what} through the console`, unit: 'ms', value },
        against: { name: 'direct', value: against },
      })
    }
  }
  return rows
}

async function againstNginx({ direct, open }: S3Program, folder: string): Promise<Row[]> {
  if (!hasNginx()) {
    process.stdout.write('nginx is not installed: GET is not compared with it\n')
    return []
  }
  await chmod(folder, 0o755)
  await writeFile(path.join(folder, 'file'), Buffer.alloc(LARGE, 'what a file may have in it. '))
  const nginx = await startNginx(folder)
  try {
    const plain = open(nginx.url, () => ({}))
    const [value, against] = await inTurn(
      2 * LARGE_ROUNDS,
      () => direct.get(`/bench/${LARGE}`),
      () => plain.get('/file'),
    )
    return [{ name: 'object storage, GET 64 MiB', unit: 'ms', value, against: { name: 'nginx', value: against } }]
  } finally {
    await nginx.stop()
  }
}

const residentMB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000

/**
 * Measures how much the server's resident memory grows while bodies stream in both directions. The client generates
 * request bodies on the fly.
 */
async function memory(where: string, calls: S3Calls, { pid, pool }: S3Program): Promise<Row> {
  const before = residentMB(pid)
  let most = before
  const look = setInterval(() => (most = Math.max(most, residentMB(pid))), 100)
  try {
    for (let left = PASSING; left > 0; left -= 2 * PASSING_AT_ONCE) {
      await calls.put('/bench/passing', PASSING_AT_ONCE)
      await calls.get('/bench/passing')
      // remove overwritten data immediately instead of after an hour
      await pool.query('update s3_garbage set due = now() where due < now() + $1::interval', ['2 hours'])
    }
  } finally {
    clearInterval(look)
  }
  const name = `object storage, memory that is added while bodies pass${where}`
  return { name, unit: 'MB', value: Math.max(0, most - before) }
}
