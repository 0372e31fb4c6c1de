import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from '../clients/client'

/* Tours of object storage with common clients, as packaged by Debian. */

const folder = import.meta.dirname
// each call starts a new process, which is slow while other specs run
const LIMIT_MS = 240_000

let bench: S3Bench
let home = ''
let environment: Record<string, string> = {}
beforeAll(async () => {
  bench = await startS3()
  const { accessKey, secretKey } = await bench.client('project-member')
  home = await mkdtemp(path.join(tmpdir(), 'mainstay-tours-'))
  const { host } = new URL(bench.endpoint)
  await writeFile(
    path.join(home, '.s3cfg'),
    [
      '[default]',
      ...[`access_key = ${accessKey}`, `secret_key = ${secretKey}`, 'use_https = False', 'bucket_location = us-east-1'],
      ...[`host_base = ${host}`, `host_bucket = ${host}`],
    ].join('\n'),
  )
  environment = {
    // use the system's clients, not others that may be installed
    PATH: '/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C.UTF-8',
    ENDPOINT: bench.endpoint,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    RCLONE_CONFIG_STORE_TYPE: 's3',
    RCLONE_CONFIG_STORE_PROVIDER: 'Other',
    RCLONE_CONFIG_STORE_ENV_AUTH: 'true',
    RCLONE_CONFIG_STORE_ENDPOINT: bench.endpoint,
  }
})
afterAll(async () => {
  await bench.close()
  await rm(home, { recursive: true, force: true })
})

it.each([
  ['aws', '/bin/sh', 'aws.sh'],
  ['s3cmd', '/bin/sh', 's3cmd.sh'],
  ['rclone', '/bin/sh', 'rclone.sh'],
  ['boto3', '/usr/bin/python3', 'boto3_tour.py'],
])('%s completes its tour', { timeout: LIMIT_MS + 10_000 }, async (name, program, script) => {
  const cwd = await mkdtemp(path.join(home, `${name}-`))
  const { stdout } = await promisify(execFile)(program, [path.join(folder, script)], {
    ...{ cwd, env: environment, timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 },
  })
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('done')
})
