import { Migration20261120000000 } from './Migration20261120000000.js';
import { Migration20261121000000 } from './Migration20261121000000.js';
import { Migration20261122000000 } from './Migration20261122000000.js';
import { Migration20261122010000 } from './Migration20261122010000.js';
import { Migration20261122020000 } from './Migration20261122020000.js';
import { Migration20261122030000 } from './Migration20261122030000.js';
import { Migration20261122040000 } from './Migration20261122040000.js';
import { Migration20261122050000 } from './Migration20261122050000.js';
import { Migration20261122050010 } from './Migration20261122050010.js';
import { Migration20261122060000 } from './Migration20261122060000.js';
import { Migration20261122060001 } from './Migration20261122060001.js';
import { Migration20261122060002 } from './Migration20261122060002.js';
import { Migration20261122070000 } from './Migration20261122070000.js';
import { Migration20261122095000 } from './Migration20261122095000.js';
import { Migration20261123010000 } from './Migration20261123010000.js';
import { Migration20261123010100 } from './Migration20261123010100.js';
import { Migration20261123010200 } from './Migration20261123010200.js';
import { Migration20261123010300 } from './Migration20261123010300.js';
import { Migration20261124020000 } from './Migration20261124020000.js';
import { Migration20261124043000 } from './Migration20261124043000.js';
import { Migration20261124060000 } from './Migration20261124060000.js';
import { Migration20261125120000 } from './Migration20261125120000.js';
import { Migration20261125130000 } from './Migration20261125130000.js';
import { Migration20261126030000 } from './Migration20261126030000.js';
import { Migration20261126040000 } from './Migration20261126040000.js';
import { Migration20261127020000RecordSeenDatasets } from './Migration20261127020000RecordSeenDatasets.js';
import { Migration20261127040000SaltDatasetDigests } from './Migration20261127040000SaltDatasetDigests.js';
import { Migration20261127050000BindCrowdSessions } from './Migration20261127050000BindCrowdSessions.js';
import { Migration20261127070000RecordFirstScores } from './Migration20261127070000RecordFirstScores.js';
import { Migration20261128180000RecordQuestions } from './Migration20261128180000RecordQuestions.js';
import { Migration20261129050000SeparatePredictions } from './Migration20261129050000SeparatePredictions.js';
import { Migration20261129120000RegisterEvaluators } from './Migration20261129120000RegisterEvaluators.js';
import { Migration20261129140000StoreTimedRows } from './Migration20261129140000StoreTimedRows.js';
import { Migration20261129150000StoreSignedResults } from './Migration20261129150000StoreSignedResults.js';
import { Migration20261129170000DelayRuns } from './Migration20261129170000DelayRuns.js';
import { Migration20261129180000KeepDefaultWeights } from './Migration20261129180000KeepDefaultWeights.js';
import { Migration20261129200000ConnectEvaluators } from './Migration20261129200000ConnectEvaluators.js';
import { Migration20261129210000ScheduleRunsFairly } from './Migration20261129210000ScheduleRunsFairly.js';
import { Migration20261129220000AllowForeignEvaluators } from './Migration20261129220000AllowForeignEvaluators.js';
import { Migration20261129230000InvitePeople } from './Migration20261129230000InvitePeople.js';
import { Migration20261129230100LimitSubmitters } from './Migration20261129230100LimitSubmitters.js';
import { Migration20261129231000StoreExactScores } from './Migration20261129231000StoreExactScores.js';
import { Migration20261129232000InterruptMeasurements } from './Migration20261129232000InterruptMeasurements.js';
import { Migration20261129232100RepeatContendedMeasurements } from './Migration20261129232100RepeatContendedMeasurements.js';
import { Migration20261129234000CompareLiveAnswers } from './Migration20261129234000CompareLiveAnswers.js';
import { Migration20261130020000MeasureEveryModel } from './Migration20261130020000MeasureEveryModel.js';
import { Migration20261130021000VerifyAccounts } from './Migration20261130021000VerifyAccounts.js';
import { Migration20261130060000RecordEvaluators } from './Migration20261130060000RecordEvaluators.js';
import { Migration20261130061000KeepRuntimes } from './Migration20261130061000KeepRuntimes.js';
import { Migration20261130120000UseFixedRates } from './Migration20261130120000UseFixedRates.js';
import { Migration20261130140000CountAnnotators } from './Migration20261130140000CountAnnotators.js';
import { Migration20261130141000SummariseBoards } from './Migration20261130141000SummariseBoards.js';
import { Migration20261130150000CountVerdicts } from './Migration20261130150000CountVerdicts.js';
import { Migration20261130160000KeepPerturbationWeights } from './Migration20261130160000KeepPerturbationWeights.js';
import { Migration20261130170000RecordTextRules } from './Migration20261130170000RecordTextRules.js';
import { Migration20261130171000CountRepeatedInputs } from './Migration20261130171000CountRepeatedInputs.js';
import { Migration20261130202000DeclareLineage } from './Migration20261130202000DeclareLineage.js';
import { Migration20261130202100ScoreOtherTargets } from './Migration20261130202100ScoreOtherTargets.js';
import { Migration20261130203000NameCollectedDatasets } from './Migration20261130203000NameCollectedDatasets.js';
import { Migration20261130207000CountValidators } from './Migration20261130207000CountValidators.js';
import { Migration20261130208000ShareBoardRows } from './Migration20261130208000ShareBoardRows.js';
import { Migration20261130220000AddSupplements } from './Migration20261130220000AddSupplements.js';
import { Migration20261130221000ShareInputs } from './Migration20261130221000ShareInputs.js';

/**
 * The migrations in their order. `node dist/services/apps/api/src/migrate.js --create` writes a new
 * one; its line is added here by hand. A migration is never reverted, so it needs no `down`: an
 * operator who returns to an earlier version restores a backup.
 */
export const migrations = [
  Migration20261120000000,
  Migration20261121000000,
  Migration20261122000000,
  Migration20261122010000,
  Migration20261122020000,
  Migration20261122030000,
  Migration20261122040000,
  Migration20261122050000,
  Migration20261122050010,
  Migration20261122060000,
  Migration20261122060001,
  Migration20261122060002,
  Migration20261122070000,
  Migration20261122095000,
  Migration20261123010000,
  Migration20261123010100,
  Migration20261123010200,
  Migration20261123010300,
  Migration20261124020000,
  Migration20261124043000,
  Migration20261124060000,
  Migration20261125120000,
  Migration20261125130000,
  Migration20261126030000,
  Migration20261126040000,
  Migration20261127020000RecordSeenDatasets,
  Migration20261127040000SaltDatasetDigests,
  Migration20261127050000BindCrowdSessions,
  Migration20261127070000RecordFirstScores,
  Migration20261128180000RecordQuestions,
  Migration20261129050000SeparatePredictions,
  Migration20261129120000RegisterEvaluators,
  Migration20261129140000StoreTimedRows,
  Migration20261129150000StoreSignedResults,
  Migration20261129170000DelayRuns,
  Migration20261129180000KeepDefaultWeights,
  Migration20261129200000ConnectEvaluators,
  Migration20261129210000ScheduleRunsFairly,
  Migration20261129220000AllowForeignEvaluators,
  Migration20261129230000InvitePeople,
  Migration20261129230100LimitSubmitters,
  Migration20261129231000StoreExactScores,
  Migration20261129232000InterruptMeasurements,
  Migration20261129232100RepeatContendedMeasurements,
  Migration20261129234000CompareLiveAnswers,
  Migration20261130020000MeasureEveryModel,
  Migration20261130021000VerifyAccounts,
  Migration20261130060000RecordEvaluators,
  Migration20261130061000KeepRuntimes,
  Migration20261130120000UseFixedRates,
  Migration20261130140000CountAnnotators,
  Migration20261130141000SummariseBoards,
  Migration20261130150000CountVerdicts,
  Migration20261130160000KeepPerturbationWeights,
  Migration20261130170000RecordTextRules,
  Migration20261130171000CountRepeatedInputs,
  Migration20261130202000DeclareLineage,
  Migration20261130202100ScoreOtherTargets,
  Migration20261130203000NameCollectedDatasets,
  Migration20261130207000CountValidators,
  Migration20261130208000ShareBoardRows,
  Migration20261130220000AddSupplements,
  Migration20261130221000ShareInputs,
];
