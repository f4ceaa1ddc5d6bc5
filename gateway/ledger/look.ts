// What the index says of itself, in one short statement outside any transaction. Questions about a block whose answers are
// kept already need no more than this. Requests that come while a look is under way share the next one: it begins after
// they came, so that none of them is told less than a transaction of its own would tell; or, where that is allowed, they take
// what was told a few milliseconds ago.
import { quoted } from "../../fold/tables.ts";
import type { Database } from "./database.ts";
import type { QuotedSchemas } from "./facts-scope.ts";
import { indexName } from "./glance.ts";
import type { LiveSchemaCache } from "./live-schemas.ts";
import { type LedgerState, type StateRow, stateOf, stateText } from "./state.ts";

export interface Looked {
  schemas: QuotedSchemas;
  /** See `Snapshot.index`. */
  index: string;
  state: LedgerState;
  /** How often farms were read: one that could not be may be some day, and changes what was said of old blocks. */
  farmsRead: number;
}

interface Place {
  database: Database;
  live: LiveSchemaCache;
  chainId: number;
}

interface Looks {
  now: Promise<Looked | undefined>;
  /** By `performance.now()`. */
  beganAt: number;
  /** What it told, once it has. */
  told?: Looked | undefined;
  next: Promise<Looked | undefined> | undefined;
}

const looks = new WeakMap<LiveSchemaCache, Map<number, Looks>>();

/** Undefined where one statement cannot tell, or there are several servers: the long way round tells what it was. */
export function look(place: Place): Promise<Looked | undefined> {
  if (!place.database.glance) return Promise.resolve(undefined);
  const ofChains = looks.get(place.live) ?? new Map<number, Looks>();
  looks.set(place.live, ofChains);
  const underWay = ofChains.get(place.chainId);
  if (!underWay) return begin(place, ofChains);
  if (underWay.told) return Promise.resolve(stillTrue(place, underWay) ?? begin(place, ofChains));
  if (performance.now() - underWay.beganAt < place.live.looksLastMs) return underWay.now;
  underWay.next ??= underWay.now.then(() => begin(place, ofChains));
  return underWay.next;
}

function begin(place: Place, ofChains: Map<number, Looks>): Promise<Looked | undefined> {
  const now = read(place).catch(() => undefined);
  const own: Looks = { now, beganAt: performance.now(), next: undefined };
  ofChains.set(place.chainId, own);
  const end = (told: Looked | undefined) => {
    if (told && place.live.looksLastMs > 0) own.told = told;
    else if (ofChains.get(place.chainId) === own && own.next === undefined) ofChains.delete(place.chainId);
  };
  void now.then(end);
  return now;
}

/** What a look told a moment ago; nothing once a request has seen the index otherwise. */
function stillTrue({ live, chainId }: Place, { told, beganAt }: Looks): Looked | undefined {
  if (!told || performance.now() - beganAt > live.looksLastMs) return undefined;
  const seen = live.lastStanding(chainId);
  const { lastSynced, watermark, factOid } = told.state;
  const isNewest = seen?.lastSynced === lastSynced && seen?.watermark === watermark && seen?.factOid === factOid;
  return isNewest ? told : undefined;
}

type LookRow = StateRow & { farms_read: number; flags: number };

async function read({ database, live, chainId }: Place): Promise<Looked | undefined> {
  const known = await live.of(chainId);
  const schemas = { ponder: quoted(known.fold), fold: quoted(known.fold) };
  const text = `select s.*, (select count(*)::int from ${schemas.fold}.farm_settings) as farms_read,
           (select count(*)::int from tidemark.token_flag where chain_id = ${chainId}) as flags
    from (${stateText({ schemas, chainId })}) s`;
  const [row] = (await database.glance?.<LookRow>(text, [])) ?? [];
  const state = stateOf(row);
  if (!row || state.live?.ponder !== known.ponder || state.live.fold !== known.fold) return undefined;
  const seen = { ...state, highestHead: live.highestHead(chainId, state.highestHead) };
  live.noteStanding(chainId, seen);
  const index = indexName({ chainId, fold: schemas.fold, factOid: state.factOid });
  live.noteFlags(chainId, row.flags);
  return { schemas, index, state: seen, farmsRead: row.farms_read };
}
