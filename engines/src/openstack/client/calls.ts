import { problem } from '@mainstay/contract/core/problems'
import type * as z from 'zod'
import { endRehearsal } from '../../ports/rehearsal'
import { readAnswer } from './answers'
import { createAuthenticatedRequest, type Shared } from './authenticated-request'
import type { ServiceClient, CallOptions, Service } from './service-client'
import { mostPages, nextQuery, pageOf } from './paging'
import { facts, invalidResponse } from './problems'
import type { TokenSource } from './tokens'
import { transfers } from './transfers'
import { isAtLeast } from './versions'

/** Creates a client that takes its tokens from one source. `requestId` is sent to the cloud and logged. */
export function createServiceClient(shared: Shared, tokens: TokenSource, requestId: string | null): ServiceClient {
  const request = createAuthenticatedRequest(shared, tokens, requestId)

  async function* pages<Item extends z.ZodType>(
    service: Service,
    path: string,
    key: string,
    item: Item,
    options: CallOptions = {},
  ) {
    const schema = pageOf(key, item, options.unreadable)
    const seen = new Set<string>()
    let wanted = options
    while (seen.size < mostPages) {
      const answer = await request.whole({ verb: 'GET', service, path, options: wanted, lane: 'lists' })
      const { rows, next, isCutShort } = readAnswer(service, answer, schema)
      if (isCutShort && options.isWhole) throw problem('core.lists_cut', { service }, { data: facts(service, answer) })
      yield rows
      if (next === null) return
      const query = nextQuery(next, path)
      if (!query) throw invalidResponse(service, answer, 'the next page of a list points elsewhere')
      const words = JSON.stringify(query)
      if (seen.has(words)) throw invalidResponse(service, answer, 'the pages of a list repeat')
      seen.add(words)
      wanted = { ...options, query }
    }
    throw problem('core.list_without_end', { service }, { data: { service, status: null, cloud_request_id: null } })
  }

  return {
    async get(service, path, schema, options = {}) {
      const answer = await request.whole({ verb: 'GET', service, path, options, lane: 'calls' })
      return readAnswer(service, answer, schema)
    },
    async send(verb, service, path, schema, options = {}) {
      endRehearsal()
      const answer = await request.whole({ verb, service, path, options, lane: 'calls' })
      return readAnswer(service, answer, schema)
    },
    pages,
    ...transfers(shared.exchange, request),
    async offers(service, version) {
      const offer = await request.offer(service)
      return offer !== null && isAtLeast(offer.most, version) && isAtLeast(version, offer.least)
    },
    async has(service) {
      return shared.endpoint(service, await tokens.token()) !== null
    },
  }
}
