import { lineAt, parse, walk, type Node } from '../lib/syntax.mjs'

/** Errors shown to users. Their messages must come from the contract: `problem('networking.cidr_overlaps', { … })`. */
const failures = new Set([
  ...['Problem', 'invalidState'],
  ...['ImageFault', 'MachineFault', 'HandOverRefusal', 'PasskeyFault', 'BadCertificate'],
])
/** Properties that set the message of a schema rule. */
const ruleMessages = new Set(['message', 'error'])

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/**
 * Returns the text of a string or template literal, or the literal at the start of a concatenation; otherwise
 * undefined.
 */
function wordsOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type === 'BinaryExpression') return wordsOf(node['left'])
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node['quasis'] as { value: { cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('…')
}
const isSentence = (node: unknown) => /^[A-Z…].* /s.test(wordsOf(node) ?? '')

/** Finds English error messages that are in code instead of the contract's message catalogue. */
export function keylessTexts(file: string, source: string): string[] {
  const isContract = file.startsWith('contract/')
  const found: number[] = []
  walk(parse(file, source).program as unknown as Node, (node) => {
    if (node.type === 'NewExpression' || node.type === 'CallExpression') {
      const callee = node['callee'] as Node
      const given = node['arguments'] as Node[]
      const isFailure = callee.type === 'Identifier' && failures.has(callee['name'] as string)
      const isRule =
        isContract && callee.type === 'MemberExpression' && !/^(describe|join|parse)$/.test(nameOf(callee['property']))
      if ((isFailure || isRule) && given.some(isSentence)) found.push(node.start)
    }
    if (isContract && node.type === 'Property' && ruleMessages.has(nameOf(node['key'])) && isSentence(node['value']))
      found.push(node.start)
    return undefined
  })
  return found.map((at) => `${file}:${lineAt(source, at)} refuses something in English without a key of the contract`)
}

const nameOf = (node: unknown): string => (isNode(node) ? ((node['name'] as string | undefined) ?? '') : '')

/** Files that contain such messages. Remove a file when its messages have keys; do not add files. */
export const notYet: readonly string[] = [
  'engines/src/embedded/qemu/devices/arguments.ts',
  'engines/src/embedded/qemu/devices/grow.ts',
  'engines/src/embedded/qemu/devices/hotplug.ts',
  'engines/src/embedded/qemu/devices/ids.ts',
  'engines/src/embedded/qemu/devices/network.ts',
  'engines/src/embedded/qemu/devices/places.ts',
  'engines/src/embedded/qemu/disks/disks.ts',
  'engines/src/embedded/qemu/machines/launch.ts',
  'engines/src/embedded/qemu/machines/machine.ts',
  'engines/src/embedded/qemu/machines/machines.ts',
  'engines/src/embedded/qemu/reasons.ts',
  'engines/src/embedded/simulated/disks.ts',
  'engines/src/embedded/simulated/inspect-image.ts',
  'engines/src/embedded/simulated/machines.ts',
  'engines/src/image-files/checked-stream.ts',
  'engines/src/image-files/image-headers.ts',
  'engines/src/image-files/worker-launcher.ts',
  'engines/src/image-files/inspect-image.ts',
  'engines/src/image-files/qemu-img.ts',
  'server/src/areas/identity/sign-in/sso-callback.ts',
  'server/src/federation/federation.ts',
  'server/src/federation/openid.ts',
  'server/src/federation/saml/assertion.ts',
  'server/src/federation/saml/metadata.ts',
  'server/src/federation/saml/saml.ts',
  'server/src/tasks/run-job.ts',
]
