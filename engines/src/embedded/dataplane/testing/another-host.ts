import { spawn, type ChildProcess } from 'node:child_process'
import process from 'node:process'
import { findProgram, runProgram } from '../../../host/programs'

/*
 * For specs that are run by root: a host that is not this one, with a neighbour that is its internet. Both are namespaces, so what
 * guests send out reaches nobody else.
 */

export interface AnotherHost {
  /** Words before a command so that it runs there. */
  words: readonly string[]
  /** Of the host itself, and of its neighbour. */
  own: string
  neighbour: string
  /** Runs a script for `sh` on the host. */
  run(script: string): Promise<string>
  end(): void
}

/** Both answer TCP at port 8080: who they are, and the address of whoever asks. */
export async function openAnotherHost(): Promise<AnotherHost> {
  const children: ChildProcess[] = []
  const start = async (words: readonly string[]): Promise<readonly string[]> => {
    const child = spawn(findProgram(words[0]!) ?? words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    await new Promise<void>((ready, failed) => {
      child.stdout.once('data', () => ready())
      child.once('error', failed).once('close', () => failed(new Error(`${words.join(' ')} has ended`)))
    })
    return [findProgram('nsenter') ?? '', '--target', String(child.pid), '--net', '--']
  }
  const waiting = ['unshare', '--net', '--', 'sh', '-c', 'echo ready; exec sleep infinity']
  const [words, beyond] = [await start(waiting), await start(waiting)]
  const run = (script: string) => runProgram([...words, 'sh', '-ec', script])
  const [own, neighbour] = ['2001:db8:77::1', '2001:db8:77::2']
  await run(`ip link set dev lo up
ip link add h0 type veth peer name h1
ip address add ${own}/64 dev h0 nodad
ip link set dev h1 netns ${beyond[2]}
ip link set dev h0 up
ip route add default via ${neighbour}`)
  await runProgram([
    ...[...beyond, 'sh', '-ec'],
    `ip link set dev lo up; ip address add ${neighbour}/64 dev h1 nodad; ip link set dev h1 up`,
  ])
  const answering = (name: string) =>
    `require('net').createServer((s) => s.on('error', () => 0).end('${name} ' + s.remoteAddress)).listen(8080, '::', () => process.stdout.write('ready'))`
  await start([...words, process.execPath, '-e', answering('host')])
  await start([...beyond, process.execPath, '-e', answering('internet')])
  return { words, own, neighbour, run, end: () => children.forEach((child) => child.kill('SIGKILL')) }
}
