import { openLocalLink } from './local-link'
import { linkConformance } from './testing/link-conformance'

linkConformance('local', openLocalLink)
