import { openLocalLink } from './local-link'
import { linkConformance } from './testing/conformance/link'

linkConformance('local', openLocalLink)
