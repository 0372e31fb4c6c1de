import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { changeDocument, readDocument, type HeldDocument } from './held'
import { sendS3 } from './send'
import { childrenOf, parseXml, textOf } from './xml'

/* Bucket settings, stored as S3 documents. */

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'
const xmlHeaders = { 'content-type': 'application/xml' }

/** Reads a setting; null if none was ever saved, which S3 reports with the code `missing`. */
async function read(bucket: string, word: string, missing: string, signal?: AbortSignal): Promise<Element | null> {
  return rootOf(await readDocument({ bucket }, word, missing, signal))
}
const rootOf = ({ text }: HeldDocument) => (text === null ? null : parseXml(text))
const write = (bucket: string, word: string, root: string, inner: string, condition: Record<string, string> = {}) =>
  sendS3({
    verb: 'PUT',
    ...{ bucket, query: { [word]: '' }, headers: { ...xmlHeaders, ...condition } },
    body: `<${root} xmlns="${NAMESPACE}">${inner}</${root}>`,
  })

/** A bucket's rules and the document that they were read from. */
export interface Held<Rule> {
  rules: readonly Rule[]
  document: HeldDocument
}

/** Reads and writes a rules document, which can only be replaced as a whole. */
const ruleDocument = <Rule>(
  { word, root, rule, missing }: Record<'word' | 'root' | 'rule' | 'missing', string>,
  readOne: (rule: Element) => Rule,
  writeOne: (rule: Rule) => string,
) => ({
  async get(bucket: string, signal?: AbortSignal): Promise<Held<Rule>> {
    const document = await readDocument({ bucket }, word, missing, signal)
    return { rules: childrenOf(rootOf(document), rule).map(readOne), document }
  },
  /** Replaces the rules only if the document still matches `held`; otherwise rejects with `Changed`. */
  put: (bucket: string, rules: readonly Rule[], held?: HeldDocument) =>
    changeDocument(
      held,
      () => readDocument({ bucket }, word, missing),
      (condition) =>
        rules.length === 0
          ? sendS3({ verb: 'DELETE', bucket, query: { [word]: '' }, headers: condition })
          : write(bucket, word, root, rules.map(writeOne).join(''), condition),
    ),
})

const element = (name: string, value: string | number) => `<${name}>${escapeXml(String(value))}</${name}>`
const numberIn = (parent: Element | null, name: string): number | null => {
  const text = textOf(parent, name)
  return text === '' ? null : Number(text)
}

export type Versioning = 'never' | 'on' | 'suspended'

export async function getVersioning(bucket: string, signal?: AbortSignal): Promise<Versioning> {
  const root = await read(bucket, 'versioning', '', signal)
  const status = textOf(root, 'Status')
  return status === 'Enabled' ? 'on' : status === 'Suspended' ? 'suspended' : 'never'
}
export const putVersioning = (bucket: string, isOn: boolean) =>
  write(bucket, 'versioning', 'VersioningConfiguration', element('Status', isOn ? 'Enabled' : 'Suspended'))

/**
 * Default retention for new versions. GOVERNANCE can be overridden, COMPLIANCE cannot. `days` is null if there is no
 * default.
 */
export interface Protection {
  mode: 'GOVERNANCE' | 'COMPLIANCE'
  days: number | null
}

/** Reads the default retention of a bucket. Returns null if object lock is disabled for the bucket. */
export async function getProtection(bucket: string, signal?: AbortSignal): Promise<Protection | null> {
  const root = await read(bucket, 'object-lock', 'ObjectLockConfigurationNotFoundError', signal)
  if (!root) return null
  const retention = childrenOf(childrenOf(root, 'Rule')[0] ?? null, 'DefaultRetention')[0] ?? null
  const mode = textOf(retention, 'Mode') === 'COMPLIANCE' ? 'COMPLIANCE' : 'GOVERNANCE'
  return { mode, days: numberIn(retention, 'Days') }
}
export const putProtection = (bucket: string, { mode, days }: Protection) =>
  write(
    bucket,
    'object-lock',
    'ObjectLockConfiguration',
    element('ObjectLockEnabled', 'Enabled') +
      (days === null
        ? ''
        : `<Rule><DefaultRetention>${element('Mode', mode)}${element('Days', days)}</DefaultRetention></Rule>`),
  )

/** A lifecycle rule, reduced to the elements that the console can edit; other elements are kept in `source`. */
export interface Rule {
  id: string
  isOn: boolean
  prefix: string
  /** Days after creation until objects expire; null: never. */
  objectDays: number | null
  /** Days until noncurrent versions expire, counted from when a newer version was created. */
  versionDays: number | null
  /** Number of noncurrent versions that are always kept. */
  keptVersions: number | null
  /** Days until incomplete uploads are aborted. */
  uploadDays: number | null
  /** Removes expired object delete markers. */
  endsMarkers: boolean
  /** Original XML if the rule has elements that the form does not support; it is written back unchanged. */
  source: string | null
}

const known = new Set([
  'ID',
  'Prefix',
  'Status',
  'Filter',
  'Expiration',
  'NoncurrentVersionExpiration',
  'AbortIncompleteMultipartUpload',
])

function readRule(rule: Element): Rule {
  const part = (name: string) => childrenOf(rule, name)[0] ?? null
  const [filter, expiration, noncurrent] = [part('Filter'), part('Expiration'), part('NoncurrentVersionExpiration')]
  const isMore =
    [...rule.children].some(({ localName }) => !known.has(localName)) ||
    [...(filter?.children ?? [])].some(({ localName }) => localName !== 'Prefix') ||
    textOf(expiration, 'Date') !== ''
  return {
    id: textOf(rule, 'ID'),
    isOn: textOf(rule, 'Status') === 'Enabled',
    prefix: textOf(filter ?? rule, 'Prefix'),
    objectDays: numberIn(expiration, 'Days'),
    versionDays: numberIn(noncurrent, 'NoncurrentDays'),
    keptVersions: numberIn(noncurrent, 'NewerNoncurrentVersions'),
    uploadDays: numberIn(part('AbortIncompleteMultipartUpload'), 'DaysAfterInitiation'),
    endsMarkers: textOf(expiration, 'ExpiredObjectDeleteMarker') === 'true',
    source: isMore ? rule.innerHTML : null,
  }
}

const writeRule = ({ id, isOn, prefix, source, ...ends }: Rule): string => {
  const expiration =
    ends.objectDays !== null
      ? element('Days', ends.objectDays)
      : ends.endsMarkers
        ? element('ExpiredObjectDeleteMarker', 'true')
        : ''
  const versions =
    ends.versionDays === null
      ? ''
      : element('NoncurrentDays', ends.versionDays) +
        (ends.keptVersions === null ? '' : element('NewerNoncurrentVersions', ends.keptVersions))
  const uploads = ends.uploadDays === null ? '' : element('DaysAfterInitiation', ends.uploadDays)
  const part = (name: string, inner: string) => (inner === '' ? '' : `<${name}>${inner}</${name}>`)
  const inner =
    element('ID', id) +
    `<Filter>${element('Prefix', prefix)}</Filter>` +
    element('Status', isOn ? 'Enabled' : 'Disabled') +
    part('Expiration', expiration) +
    part('NoncurrentVersionExpiration', versions) +
    part('AbortIncompleteMultipartUpload', uploads)
  const kept = source?.replace(/(<Status[^>]*>)(Enabled|Disabled)/, `$1${isOn ? 'Enabled' : 'Disabled'}`)
  return `<Rule>${kept ?? inner}</Rule>`
}

export const { get: getRules, put: putRules } = ruleDocument(
  { word: 'lifecycle', root: 'LifecycleConfiguration', rule: 'Rule', missing: 'NoSuchLifecycleConfiguration' },
  readRule,
  writeRule,
)

/** Encryption for new objects when the request does not specify any. */
export type DefaultEncryption = 'none' | 'AES256' | 'aws:kms'

export async function getEncryption(bucket: string, signal?: AbortSignal): Promise<DefaultEncryption> {
  const root = await read(bucket, 'encryption', 'ServerSideEncryptionConfigurationNotFoundError', signal)
  const rule = childrenOf(root, 'Rule')[0] ?? null
  const algorithm = textOf(childrenOf(rule, 'ApplyServerSideEncryptionByDefault')[0] ?? null, 'SSEAlgorithm')
  return algorithm === 'aws:kms' || algorithm === 'AES256' ? algorithm : 'none'
}
export const putEncryption = (bucket: string, isOn: boolean) =>
  isOn
    ? write(
        bucket,
        'encryption',
        'ServerSideEncryptionConfiguration',
        `<Rule><ApplyServerSideEncryptionByDefault>${element('SSEAlgorithm', 'AES256')}</ApplyServerSideEncryptionByDefault></Rule>`,
      )
    : sendS3({ verb: 'DELETE', bucket, query: { encryption: '' } })

export const corsMethods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const
export type CorsMethod = (typeof corsMethods)[number]

/** A CORS rule: what pages from other origins may do with a bucket. */
export interface CorsRule {
  id: string
  origins: string[]
  methods: CorsMethod[]
  headers: string[]
  exposed: string[]
  /** Seconds for which browsers may cache the preflight response; null uses the browser's default. */
  maxAge: number | null
}

const textsOf = (parent: Element, name: string) => childrenOf(parent, name).map(({ textContent }) => textContent)

function readCors(rule: Element): CorsRule {
  return {
    id: textOf(rule, 'ID'),
    origins: textsOf(rule, 'AllowedOrigin'),
    methods: corsMethods.filter((method) => textsOf(rule, 'AllowedMethod').includes(method)),
    headers: textsOf(rule, 'AllowedHeader'),
    exposed: textsOf(rule, 'ExposeHeader'),
    maxAge: numberIn(rule, 'MaxAgeSeconds'),
  }
}

function writeCors({ id, origins, methods, headers, exposed, maxAge }: CorsRule): string {
  const each = (name: string, texts: readonly string[]) => texts.map((text) => element(name, text)).join('')
  return `<CORSRule>${id === '' ? '' : element('ID', id)}${each('AllowedOrigin', origins)}${each('AllowedMethod', methods)}${each('AllowedHeader', headers)}${each('ExposeHeader', exposed)}${maxAge === null ? '' : element('MaxAgeSeconds', maxAge)}</CORSRule>`
}

export const { get: getCors, put: putCors } = ruleDocument(
  { word: 'cors', root: 'CORSConfiguration', rule: 'CORSRule', missing: 'NoSuchCORSConfiguration' },
  readCors,
  writeCors,
)
