import { randomUUID } from 'node:crypto'
import { isoTime } from '@mainstay/contract/core/times'
import { S3Error, notImplemented } from '../../errors'
import type { LifecycleRule, Tag } from '../../store/bucket-settings'
import { childText, writeElements, writeXml, type WrittenElement, type XmlElement } from '../xml'
import type { DocumentSetting } from './setting'
import { checkTags } from './tags'

const MOST_RULES = 1000
const MOST_ID = 255
const DAY_MS = 24 * 60 * 60 * 1000

const malformed = (message: string) => new S3Error('MalformedXML', message)
const invalid = (message: string) => new S3Error('InvalidArgument', message)

function child({ children }: XmlElement, name: string): XmlElement | undefined {
  const [found, ...more] = children.filter((it) => it.name === name)
  if (more.length > 0) throw malformed(`There can be only one ${name}`)
  return found
}

/** S3's limits. */
const MOST_DAYS = 2 ** 31 - 1
const MOST_SIZE = 1024 ** 5

/** Parses the integer in a child element; undefined if there is no such element. */
function count(element: XmlElement, name: string, least: number, most = MOST_DAYS): number | undefined {
  const text = childText(element, name)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text) || Number(text) < least || Number(text) > most)
    throw invalid(`'${name}' in a rule must be a whole number from ${least} to ${most}`)
  return Number(text)
}

function readTag(element: XmlElement): Tag {
  const [key, value] = [childText(element, 'Key'), childText(element, 'Value')]
  if (key === undefined || value === undefined) throw malformed('A Tag must have a Key and a Value')
  return { key, value }
}

type Filter = Pick<LifecycleRule, 'prefix' | 'isPlain' | 'tags' | 'largerThan' | 'smallerThan'>

function readFilter(rule: XmlElement): Filter {
  const [filter, plain] = [child(rule, 'Filter'), childText(rule, 'Prefix')]
  if ((filter === undefined) === (plain === undefined)) throw malformed('A Rule must have either a Filter or a Prefix')
  if (!filter) return { prefix: plain!, isPlain: true, tags: [] }
  const all = child(filter, 'And')
  if (filter.children.length > 1 || (all && all.children.length < 2))
    throw malformed('A Filter must have one condition, or several in an And')
  const conditions = all ?? filter
  const tags = conditions.children.filter(({ name }) => name === 'Tag').map(readTag)
  checkTags(tags, 'object')
  const largerThan = count(conditions, 'ObjectSizeGreaterThan', 0, MOST_SIZE)
  const smallerThan = count(conditions, 'ObjectSizeLessThan', 1, MOST_SIZE)
  return {
    prefix: childText(conditions, 'Prefix') ?? '',
    isPlain: false,
    tags,
    ...(largerThan !== undefined && { largerThan }),
    ...(smallerThan !== undefined && { smallerThan }),
  }
}

function readExpiration(element: XmlElement): NonNullable<LifecycleRule['expiration']> {
  const days = count(element, 'Days', 1)
  const [date, markers] = [childText(element, 'Date'), childText(element, 'ExpiredObjectDeleteMarker')]
  if ([days, date, markers].filter((it) => it !== undefined).length !== 1)
    throw malformed('An Expiration must have Days, a Date or ExpiredObjectDeleteMarker')
  if (days !== undefined) return { days }
  if (markers !== undefined) return { markers: markers === 'true' }
  const at = isoTime(date!)
  if (Number.isNaN(at))
    throw malformed('The Date of an Expiration must be an ISO 8601 date with a time zone: 2027-01-01T00:00:00Z')
  if (at % DAY_MS !== 0) throw invalid("'Date' must be at midnight GMT")
  return { date: new Date(at).toISOString() }
}

function readRule(element: XmlElement): LifecycleRule {
  const [id = randomUUID(), status] = [childText(element, 'ID') || undefined, childText(element, 'Status')]
  if (status !== 'Enabled' && status !== 'Disabled') throw malformed('The Status of a Rule must be Enabled or Disabled')
  if (id.length > MOST_ID) throw invalid(`ID length should not exceed allowed limit of ${MOST_ID}`)
  if (element.children.some(({ name }) => name.endsWith('Transition'))) throw notImplemented('other storage classes')
  const [expiration, noncurrent, abort] = [
    child(element, 'Expiration'),
    child(element, 'NoncurrentVersionExpiration'),
    child(element, 'AbortIncompleteMultipartUpload'),
  ]
  if (!expiration && !noncurrent && !abort) throw malformed('A Rule must have an action')
  const filter = readFilter(element)
  const rule: LifecycleRule = { id, enabled: status === 'Enabled', ...filter }
  if (expiration) rule.expiration = readExpiration(expiration)
  if (noncurrent)
    rule.noncurrent = {
      days: count(noncurrent, 'NoncurrentDays', 1) ?? required('NoncurrentDays'),
      keep: count(noncurrent, 'NewerNoncurrentVersions', 1) ?? 0,
    }
  if (abort) rule.abortUploadsAfterDays = count(abort, 'DaysAfterInitiation', 1) ?? required('DaysAfterInitiation')
  const isOfContent = filter.tags.length > 0 || filter.largerThan !== undefined || filter.smallerThan !== undefined
  if (isOfContent && (abort || (rule.expiration && 'markers' in rule.expiration)))
    throw new S3Error('InvalidRequest', 'Rules for uploads and delete markers cannot filter by tags or size')
  return rule
}

function required(name: string): never {
  throw malformed(`${name} is missing in a Rule`)
}

function writeFilter({ prefix, isPlain, tags, largerThan, smallerThan }: LifecycleRule): WrittenElement {
  if (isPlain) return { Prefix: prefix }
  const conditions: WrittenElement = {
    Prefix: prefix === '' ? undefined : prefix,
    Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })),
    ObjectSizeGreaterThan: largerThan,
    ObjectSizeLessThan: smallerThan,
  }
  const parts =
    [prefix !== '', largerThan !== undefined, smallerThan !== undefined].filter(Boolean).length + tags.length
  return { Filter: parts > 1 ? { And: conditions } : parts === 0 ? { Prefix: '' } : conditions }
}

function writeExpiration(expiration: NonNullable<LifecycleRule['expiration']>): WrittenElement {
  if ('days' in expiration) return { Days: expiration.days }
  return 'date' in expiration ? { Date: expiration.date } : { ExpiredObjectDeleteMarker: expiration.markers }
}

const writeRule = (rule: LifecycleRule): string =>
  writeElements({
    Rule: {
      ID: rule.id,
      ...writeFilter(rule),
      Status: rule.enabled ? 'Enabled' : 'Disabled',
      Expiration: rule.expiration && writeExpiration(rule.expiration),
      NoncurrentVersionExpiration: rule.noncurrent && {
        NoncurrentDays: rule.noncurrent.days,
        NewerNoncurrentVersions: rule.noncurrent.keep === 0 ? undefined : rule.noncurrent.keep,
      },
      AbortIncompleteMultipartUpload:
        rule.abortUploadsAfterDays === undefined ? undefined : { DaysAfterInitiation: rule.abortUploadsAfterDays },
    },
  })

export const bucketLifecycle: DocumentSetting<'lifecycle'> = {
  name: 'lifecycle',
  action: 'LifecycleConfiguration',
  missing: () => new S3Error('NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist'),
  read(document) {
    const rules = document.children.filter(({ name }) => name === 'Rule').map(readRule)
    if (document.name !== 'LifecycleConfiguration' || rules.length === 0 || rules.length > MOST_RULES)
      throw malformed(`A LifecycleConfiguration must have 1 to ${MOST_RULES} rules`)
    if (new Set(rules.map(({ id }) => id)).size < rules.length) throw invalid('Rule ID must be unique')
    return rules
  },
  write: (rules) => writeXml('LifecycleConfiguration', {}, rules.map(writeRule).join('')),
}
