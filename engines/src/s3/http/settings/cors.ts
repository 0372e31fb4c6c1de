import { S3Error } from '../../errors'
import type { CorsRule } from '../../store/bucket-settings'
import { writeXml, type XmlElement } from '../xml'
import type { DocumentSetting } from './setting'

const MOST_RULES = 100
/**
 * Maximum number of allowed headers per rule. Limited, because every preflight request is compared with all of them.
 */
const MOST_HEADERS = 100
const MOST_ID = 255
const methods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'HEAD'])

const malformed = () => new S3Error('MalformedXML', 'The XML you provided is not a CORSConfiguration with CORSRules')
const wrong = (message: string) => new S3Error('InvalidRequest', message)

const fields = new Set(['ID', 'AllowedMethod', 'AllowedOrigin', 'AllowedHeader', 'ExposeHeader', 'MaxAgeSeconds'])

function readRule(element: XmlElement): CorsRule {
  if (element.name !== 'CORSRule' || element.children.some(({ name }) => !fields.has(name))) throw malformed()
  const all = (field: string) => element.children.filter(({ name }) => name === field).map(({ text }) => text.trim())
  const [ids, ages] = [all('ID'), all('MaxAgeSeconds')]
  const [allowed, origins] = [all('AllowedMethod'), all('AllowedOrigin')]
  if (allowed.length === 0 || origins.length === 0 || ids.length > 1 || ages.length > 1) throw malformed()
  const unknown = allowed.find((method) => !methods.has(method))
  if (unknown !== undefined)
    throw wrong(`Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`)
  const [headers, exposed] = [all('AllowedHeader'), all('ExposeHeader')]
  if (headers.length > MOST_HEADERS) throw wrong(`A rule has at most ${MOST_HEADERS} AllowedHeader elements`)
  for (const [field, texts] of [['AllowedOrigin', origins] as const, ['AllowedHeader', headers] as const])
    for (const text of texts) {
      if (text === '') throw malformed()
      if (text.split('*').length > 2) throw wrong(`${field} "${text}" can not have more than one wildcard.`)
    }
  for (const text of exposed) {
    if (text.includes('*'))
      throw wrong(`ExposeHeader "${text}" contains wildcard. We currently do not support wildcard for ExposeHeader.`)
    if (!/^[A-Za-z0-9!#$%&'+.^_`|~-]+$/.test(text)) throw wrong(`ExposeHeader "${text}" is no name of a header`)
  }
  const [id, age] = [ids[0], ages[0]]
  if (id !== undefined && [...id].length > MOST_ID) throw wrong(`The ID of a rule has at most ${MOST_ID} characters`)
  if (age !== undefined && !/^\d{1,9}$/.test(age)) throw malformed()
  return {
    ...(id !== undefined && { id }),
    ...{ methods: allowed, origins, headers, exposed },
    ...(age !== undefined && { maxAgeSeconds: Number(age) }),
  }
}

/** CORS rules of a bucket. */
export const bucketCors: DocumentSetting<'cors'> = {
  name: 'cors',
  action: 'BucketCORS',
  missing: () => new S3Error('NoSuchCORSConfiguration', 'The CORS configuration does not exist'),
  read(document) {
    if (document.name !== 'CORSConfiguration' || document.children.length === 0) throw malformed()
    if (document.children.length > MOST_RULES)
      throw wrong(`The number of CORS rules should not exceed allowed limit of ${MOST_RULES} rules.`)
    return document.children.map(readRule)
  },
  write: (rules) =>
    writeXml('CORSConfiguration', {
      CORSRule: rules.map(({ id, methods: allowed, origins, headers, exposed, maxAgeSeconds }) => ({
        ID: id,
        AllowedMethod: allowed,
        AllowedOrigin: origins,
        AllowedHeader: headers,
        ExposeHeader: exposed,
        MaxAgeSeconds: maxAgeSeconds,
      })),
    }),
}
